//! Who may call over gRPC, over which connections, and what is said to everybody else.

mod own_address;
mod protected;

use prost::Message;
use prost_types::FileDescriptorProto;
use retrotab_coordinator::net::auth::Refusal;
use retrotab_coordinator::net::limits::ConnectionLimits;
use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::token::Token;
use retrotab_proto::v1::{FetchShardRequest, ListJobsRequest, SubmitJobRequest};
use retrotab_worker::remote::{Client, ConnectOptions, TlsOptions, connect, explain};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use own_address::own_address;
use protected::{NOW, Pki, Server, TOKEN, token};

fn channel(server: &Server) -> Channel {
    Endpoint::from_shared(server.url("http")).unwrap().connect_lazy()
}

async fn list(client: &mut Client) -> Result<(), Status> {
    client.list_jobs(ListJobsRequest {}).await.map(|_| ())
}

/// Calls once, and gives what a person would read of a failure.
async fn call(options: &ConnectOptions) -> Result<(), String> {
    let mut client = connect(options).unwrap();
    list(&mut client).await.map_err(|status| explain(&status, &options.url))
}

fn with_token(server: &Server, token: Option<Token>) -> ConnectOptions {
    ConnectOptions { token, ..ConnectOptions::plain(server.url("http")) }
}

fn over_tls(server: &Server, pki: &Pki) -> ConnectOptions {
    let tls = TlsOptions { ca: Some(pki.authority()), ..TlsOptions::default() };
    ConnectOptions { tls, ..ConnectOptions::plain(server.url("https")) }
}

#[tokio::test]
async fn only_who_has_the_token_may_call() {
    let server = Server::start(Some(token()), None);
    let mut right = connect(&with_token(&server, Some(token()))).unwrap();
    list(&mut right).await.unwrap();
    let other = Token::parse(b"another-token-as-long").unwrap();
    for (given, says) in [(None, "needs a token"), (Some(other), "not the one")] {
        let mut client = connect(&with_token(&server, given)).unwrap();
        let status = list(&mut client).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated);
        let text = status.message();
        assert!(text.contains(says) && text.contains("--token-file"), "{text}");
        assert!(!text.contains("the-token") && !text.contains("another"), "{text}");
        // Streams in and out are refused as well.
        let status = client.submit_shard(tokio_stream::empty()).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated);
        let status = client.fetch_shard(FetchShardRequest::default()).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated);
    }
    assert_eq!(server.refusals.count(Refusal::NoToken), 3);
    assert_eq!(server.refusals.count(Refusal::WrongToken), 3);
    list(&mut right).await.unwrap();
}

#[tokio::test]
async fn health_is_free_and_reflection_is_not() {
    let server = Server::start(Some(token()), None);
    let mut health = HealthClient::new(channel(&server));
    for service in ["", "retrotab.v1.Coordinator"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        health.check(request).await.unwrap();
    }
    let mut reflection = ServerReflectionClient::new(channel(&server));
    let request = tokio_stream::once(ServerReflectionRequest::default());
    let status = reflection.server_reflection_info(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
}

/// Asks for reflection with the token.
async fn reflected(server: &Server, question: MessageRequest) -> MessageResponse {
    let question =
        ServerReflectionRequest { message_request: Some(question), ..Default::default() };
    let mut request = tonic::Request::new(tokio_stream::once(question));
    let header = format!("Bearer {TOKEN}").parse().unwrap();
    request.metadata_mut().insert("authorization", header);
    let mut reflection = ServerReflectionClient::new(channel(server));
    let answers = reflection.server_reflection_info(request).await.unwrap();
    let answer = answers.into_inner().message().await.unwrap().unwrap();
    answer.message_response.unwrap()
}

#[tokio::test]
async fn with_the_token_reflection_lists_and_describes_the_services() {
    let server = Server::start(Some(token()), None);
    let list = MessageRequest::ListServices(String::new());
    let MessageResponse::ListServicesResponse(list) = reflected(&server, list).await else {
        panic!("no list")
    };
    let names: Vec<String> = list.service.into_iter().map(|service| service.name).collect();
    for name in ["retrotab.v1.Coordinator", "grpc.health.v1.Health"] {
        assert!(names.iter().any(|listed| listed == name), "{names:?}");
    }
    // What is needed to call a method of which only the name is known.
    let file = MessageRequest::FileContainingSymbol("retrotab.v1.Coordinator.Lease".to_owned());
    let MessageResponse::FileDescriptorResponse(files) = reflected(&server, file).await else {
        panic!("no file")
    };
    let file = FileDescriptorProto::decode(&files.file_descriptor_proto[0][..]).unwrap();
    let mut methods = file.service[0].method.iter();
    let lease = methods.find(|method| method.name() == "Lease").unwrap();
    assert_eq!(lease.input_type(), ".retrotab.v1.LeaseRequest");
    assert!(file.message_type.iter().any(|message| message.name() == "LeaseRequest"));
}

#[tokio::test]
async fn without_a_token_and_tls_everybody_may_call_on_loopback() {
    let server = Server::start(None, None);
    call(&ConnectOptions::plain(server.url("http"))).await.unwrap();
    call(&with_token(&server, Some(token()))).await.unwrap();
}

#[tokio::test]
async fn plaintext_on_a_port_with_tls_says_so() {
    let server = Server::start(None, Some(Pki::new().server("127.0.0.1", NOW, None)));
    let error = call(&ConnectOptions::plain(server.url("http"))).await.unwrap_err();
    assert!(error.contains(&server.url("https")), "{error}");
    assert!(!error.contains("transport error"), "{error}");
}

#[tokio::test]
async fn tls_on_a_port_without_says_so() {
    let server = Server::start(None, None);
    let error = call(&over_tls(&server, &Pki::new())).await.unwrap_err();
    assert!(error.contains("does not serve TLS"), "{error}");
    assert!(!error.contains("transport error"), "{error}");
}

#[tokio::test]
async fn nobody_listening_says_so() {
    let error =
        call(&ConnectOptions::plain(format!("http://{}", own_address()))).await.unwrap_err();
    assert!(error.contains("is the coordinator running"), "{error}");
}

#[tokio::test]
async fn the_coordinators_certificate_is_checked() {
    let pki = Pki::new();
    let server = Server::start(Some(token()), Some(pki.server("127.0.0.1", NOW, None)));
    let options = ConnectOptions { token: Some(token()), ..over_tls(&server, &pki) };
    call(&options).await.unwrap();
    // TLS does not replace the token.
    let error = call(&over_tls(&server, &pki)).await.unwrap_err();
    assert!(error.contains("needs a token"), "{error}");
    let error = call(&over_tls(&server, &Pki::new())).await.unwrap_err();
    assert!(error.contains("another authority"), "{error}");
    let tls = TlsOptions { domain: Some("other.example".to_owned()), ..options.tls.clone() };
    let error = call(&ConnectOptions { tls, ..options }).await.unwrap_err();
    assert!(error.contains("for other hosts"), "{error}");
}

#[tokio::test]
async fn another_name_can_be_expected() {
    let pki = Pki::new();
    let server = Server::start(None, Some(pki.server("coordinator.example", NOW, None)));
    let mut options = over_tls(&server, &pki);
    assert!(call(&options).await.unwrap_err().contains("for other hosts"));
    options.tls.domain = Some("coordinator.example".to_owned());
    call(&options).await.unwrap();
}

#[tokio::test]
async fn certificates_that_are_not_in_force_are_refused() {
    let pki = Pki::new();
    for (days, says) in [(-30..-1, "expired"), (1..30, "not valid yet")] {
        let server = Server::start(None, Some(pki.server("127.0.0.1", days, None)));
        let error = call(&over_tls(&server, &pki)).await.unwrap_err();
        assert!(error.contains(says) && error.contains("clock"), "{error}");
    }
}

#[tokio::test]
async fn with_mutual_tls_callers_need_certificates() {
    let (pki, other) = (Pki::new(), Pki::new());
    let tls = pki.server("127.0.0.1", NOW, Some(&pki.ca()));
    let server = Server::start(Some(token()), Some(tls));
    let with = |identity| {
        let mut options = ConnectOptions { token: Some(token()), ..over_tls(&server, &pki) };
        options.tls.identity = identity;
        options
    };
    call(&with(Some(pki.client(NOW)))).await.unwrap();
    let error = call(&with(None)).await.unwrap_err();
    assert!(error.contains("client certificate"), "{error}");
    for identity in [other.client(NOW), pki.client(-30..-1), pki.client(1..30)] {
        let error = call(&with(Some(identity))).await.unwrap_err();
        assert!(error.contains("does not accept this client certificate"), "{error}");
    }
    // The certificate does not replace the token.
    let options = ConnectOptions { token: None, ..with(Some(pki.client(NOW))) };
    assert!(call(&options).await.unwrap_err().contains("needs a token"));
}

#[tokio::test]
async fn messages_that_are_too_long_are_refused() {
    let server = Server::start(None, None);
    let mut client = connect(&ConnectOptions::plain(server.url("http"))).unwrap();
    let name = "x".repeat(5 << 20);
    let request = SubmitJobRequest { protocol_version: PROTOCOL_VERSION, job: None, name };
    let status = client.submit_job(request).await.unwrap_err();
    assert!(matches!(status.code(), Code::OutOfRange | Code::ResourceExhausted), "{status}");
    list(&mut client).await.unwrap();
}

#[tokio::test]
async fn a_connection_may_have_so_many_calls_at_a_time() {
    let limits = ConnectionLimits { streams: 3, ..ConnectionLimits::default() };
    let server = Server::with(None, None, limits);
    let stream = tokio::net::TcpStream::connect(server.grpc).await.unwrap();
    let (mut calls, connection) = h2::client::handshake(stream).await.unwrap();
    let connection = tokio::spawn(connection);
    // A call is only answered after the server's settings are known.
    calls = calls.ready().await.unwrap();
    let request = http::Request::post(server.url("http") + "/none").body(()).unwrap();
    let (answer, _) = calls.send_request(request, true).unwrap();
    answer.await.unwrap();
    assert_eq!(calls.current_max_send_streams(), 3);
    connection.abort();
}

#[tokio::test]
async fn headers_that_are_too_long_are_refused() {
    let server = Server::start(Some(token()), None);
    let long = Token::parse(&[b'x'; 4096]).unwrap();
    let mut client = connect(&with_token(&server, Some(long))).unwrap();
    assert_eq!(list(&mut client).await.unwrap_err().code(), Code::Unauthenticated);
    let mut request = tonic::Request::new(ListJobsRequest {});
    request.metadata_mut().insert("x", "y".repeat(60_000).parse().unwrap());
    assert!(client.list_jobs(request).await.is_err());
}

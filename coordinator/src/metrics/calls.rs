//! Counts calls over gRPC: a layer to put around the whole server, so that refused calls count
//! too.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Instant;

use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use prost::Message;
use tonic::Code;
use tower::{Layer, Service};

use super::Metrics;

/// The methods that are known. Anything else a client may ask for is counted as `other`: a label
/// never holds what comes from the network.
static METHODS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let files = prost_types::FileDescriptorSet::decode(retrotab_proto::DESCRIPTORS)
        .expect("our own descriptors");
    let services = files.file.into_iter().flat_map(|file| {
        let package = file.package.unwrap_or_default();
        file.service.into_iter().map(move |service| (package.clone(), service))
    });
    let methods = services.flat_map(|(package, service)| {
        let service_name = service.name.unwrap_or_default();
        let path = move |method: &str| format!("/{package}.{service_name}/{method}");
        service.method.into_iter().map(move |method| path(method.name()))
    });
    methods.collect()
});

/// The label for a request's path.
fn method(path: &str) -> &'static str {
    let known = METHODS.get(path).and_then(|path| path.rsplit('/').next());
    known.unwrap_or("other")
}

/// Puts [`CountedCalls`] around a service.
#[derive(Clone)]
pub struct CallLayer {
    metrics: Arc<Metrics>,
}

impl CallLayer {
    /// Calls are counted there.
    pub fn new(metrics: Arc<Metrics>) -> CallLayer {
        CallLayer { metrics }
    }
}

impl<S> Layer<S> for CallLayer {
    type Service = CountedCalls<S>;

    fn layer(&self, inner: S) -> CountedCalls<S> {
        CountedCalls { inner, metrics: Arc::clone(&self.metrics) }
    }
}

/// A service whose calls are counted.
#[derive(Clone)]
pub struct CountedCalls<S> {
    inner: S,
    metrics: Arc<Metrics>,
}

impl<S, Q, R> Service<http::Request<Q>> for CountedCalls<S>
where
    S: Service<http::Request<Q>, Response = http::Response<R>>,
    S::Future: Send + 'static,
{
    type Response = http::Response<CountedBody<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Q>) -> Self::Future {
        let mut call = Call::begin(&self.metrics, method(request.uri().path()));
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await.inspect_err(|_| call.code = Some(Code::Unknown))?;
            // A refused call has its status in the headers, and no trailers.
            call.read_status(answer.headers());
            Ok(answer.map(|inner| CountedBody { inner, call }))
        })
    }
}

/// The body of an answer: the call ends with it.
pub struct CountedBody<R> {
    inner: R,
    call: Call,
}

impl<R: Body + Unpin> Body for CountedBody<R> {
    type Data = R::Data;
    type Error = R::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<R::Data>, R::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(trailers) = frame.trailers_ref() {
                    self.call.read_status(trailers);
                }
            }
            Poll::Ready(Some(Err(_))) => self.call.code = Some(Code::Unknown),
            Poll::Ready(None) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A call from its headers to the end of its answer. It is counted when it is dropped; one that
/// has no status then was given up by its client.
struct Call {
    metrics: Arc<Metrics>,
    method: &'static str,
    begun: Instant,
    code: Option<Code>,
}

impl Call {
    fn begin(metrics: &Arc<Metrics>, method: &'static str) -> Call {
        metrics.call_begun();
        Call { metrics: Arc::clone(metrics), method, begun: Instant::now(), code: None }
    }

    fn read_status(&mut self, headers: &HeaderMap) {
        if let Some(status) = headers.get("grpc-status") {
            self.code = Some(Code::from_bytes(status.as_bytes()));
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let code = code_name(self.code.unwrap_or(Code::Cancelled));
        self.metrics.call_ended(self.method, code, self.begun.elapsed());
    }
}

/// The name of a code, as other gRPC servers label it.
fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_our_methods_only() {
        assert_eq!(method("/retrotab.v1.Coordinator/Lease"), "Lease");
        assert_eq!(method("/retrotab.v1.Coordinator/SubmitShard"), "SubmitShard");
        for path in ["", "/", "/Lease", "/retrotab.v1.Coordinator/Lease/x", "/a.B/Lease"] {
            assert_eq!(method(path), "other", "{path}");
        }
    }
}

//! `retrotab certs`: a private authority, and certificates that it signs.
//!
//! The folder holds `ca.pem` and `ca.key`, for the coordinator `server.pem` and `server.key`,
//! and for each client `client-NAME.pem` and `client-NAME.key`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use retrotab_proto::tls::Identity;
use time::{Duration, OffsetDateTime};

use crate::args::CertsArgs;
use crate::failure::UserError;
use crate::private_file::{self, Readers};

/// How long before now certificates begin to be valid: clocks of machines differ.
const BACK: Duration = Duration::DAY;
/// How much longer the authority lives than what it signs now, so that it can sign again.
const AUTHORITY_DAYS: i64 = 10 * 365;

type Authority = Issuer<'static, KeyPair>;

/// Makes what is asked for; nothing if any of it is there already.
pub fn certs(args: &CertsArgs) -> anyhow::Result<()> {
    let folder = Folder(&args.out);
    check(args, &folder)?;
    private_file::create_folder(&args.out)?;
    let valid = Validity::days(args.days.into());
    let authority = folder.authority(&valid)?;
    if !args.host.is_empty() {
        let made = server(&args.host, &valid)?;
        folder.sign("server", made, &authority)?;
    }
    for name in &args.client {
        folder.sign(&client_file(name), client(name, &valid), &authority)?;
    }
    print!("{}", instructions(args));
    Ok(())
}

fn check(args: &CertsArgs, folder: &Folder<'_>) -> anyhow::Result<()> {
    let wrong = |what: String| Err(UserError(what).into());
    if args.host.is_empty() && args.client.is_empty() {
        return wrong(
            "nothing to make: give --host NAME for the coordinator, or --client NAME".into(),
        );
    }
    for name in &args.client {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 60 || !name.chars().all(fits) {
            return wrong(format!(
                "`{name}` is no name for a client; use 1 to 60 letters, digits, `-`, `_` and `.`"
            ));
        }
    }
    for host in &args.host {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '*' | '_');
        if host.is_empty() || !host.chars().all(fits) {
            return wrong(format!(
                "`{host}` is no host; give a name like node1.example or an address like 10.0.0.1, without scheme"
            ));
        }
        let is_address = host.parse::<std::net::IpAddr>().is_ok();
        if host.contains(':') && !is_address {
            return wrong(format!("`{host}` is no host; give it without the port"));
        }
    }
    let server = (!args.host.is_empty()).then(|| "server".to_owned());
    let clients = args.client.iter().map(|name| client_file(name));
    for name in server.into_iter().chain(clients) {
        for path in [folder.certificate(&name), folder.key(&name)] {
            if path.exists() {
                return wrong(format!(
                    "{} is there already; nothing was made. Move it away to make a new one",
                    path.display()
                ));
            }
        }
    }
    Ok(())
}

fn client_file(name: &str) -> String {
    format!("client-{name}")
}

struct Validity {
    from: OffsetDateTime,
    days: i64,
}

impl Validity {
    fn days(days: i64) -> Validity {
        Validity { from: OffsetDateTime::now_utc() - BACK, days }
    }

    fn set(&self, params: &mut CertificateParams, days: i64) {
        params.not_before = self.from;
        params.not_after = self.from + BACK + Duration::days(days);
    }
}

struct Folder<'a>(&'a Path);

impl Folder<'_> {
    fn certificate(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.pem"))
    }

    fn key(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.key"))
    }

    /// The authority that is there, or a new one.
    fn authority(&self, valid: &Validity) -> anyhow::Result<Authority> {
        let (certificate, key) = (self.certificate("ca"), self.key("ca"));
        match (certificate.exists(), key.exists()) {
            (false, false) => self.new_authority(valid),
            (true, true) => old_authority(&certificate, &key),
            (true, false) => Err(UserError(format!(
                "{} is there without its key ca.key, so it cannot sign; bring the key, or choose \
                 another folder",
                certificate.display()
            ))
            .into()),
            (false, true) => Err(UserError(format!(
                "{} is there without its certificate ca.pem; bring the certificate, or choose \
                 another folder",
                key.display()
            ))
            .into()),
        }
    }

    fn new_authority(&self, valid: &Validity) -> anyhow::Result<Authority> {
        let key = KeyPair::generate().context("cannot make a key")?;
        let mut params = CertificateParams::default();
        // Tells authorities apart in messages of other programs.
        let digest = blake3::hash(key.public_key_raw()).to_hex();
        params.distinguished_name.push(DnType::CommonName, format!("retrotab CA {}", &digest[..8]));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        valid.set(&mut params, valid.days + AUTHORITY_DAYS);
        let certificate = params.self_signed(&key).context("cannot sign the authority")?;
        private_file::create(&self.key("ca"), &key.serialize_pem(), Readers::Owner)?;
        private_file::create(&self.certificate("ca"), &certificate.pem(), Readers::Everybody)?;
        Ok(Issuer::new(params, key))
    }

    fn sign(
        &self,
        name: &str,
        mut params: CertificateParams,
        authority: &Authority,
    ) -> anyhow::Result<()> {
        let key = KeyPair::generate().context("cannot make a key")?;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let signed = params.signed_by(&key, authority);
        let certificate = signed.with_context(|| format!("cannot sign {name}.pem"))?;
        private_file::create(&self.key(name), &key.serialize_pem(), Readers::Owner)?;
        private_file::create(&self.certificate(name), &certificate.pem(), Readers::Everybody)
    }
}

fn old_authority(certificate: &Path, key: &Path) -> anyhow::Result<Authority> {
    // Checks the modes too, and that they belong together.
    Identity::read(certificate, key)?;
    let pem = std::fs::read_to_string(certificate);
    let pem = pem.with_context(|| format!("cannot read {}", certificate.display()))?;
    let key_pem = std::fs::read_to_string(key);
    let key_pem = key_pem.with_context(|| format!("cannot read {}", key.display()))?;
    let bad = || format!("{} is no authority that can sign", certificate.display());
    let key = KeyPair::from_pem(&key_pem).with_context(bad)?;
    Issuer::from_ca_cert_pem(&pem, key).with_context(bad)
}

fn server(hosts: &[String], valid: &Validity) -> anyhow::Result<CertificateParams> {
    let params = CertificateParams::new(hosts);
    let mut params = params.with_context(|| format!("no certificate can be for {hosts:?}"))?;
    params.distinguished_name.push(DnType::CommonName, "retrotab coordinator");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    valid.set(&mut params, valid.days);
    Ok(params)
}

fn client(name: &str, valid: &Validity) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    valid.set(&mut params, valid.days);
    params
}

/// What to copy where.
fn instructions(args: &CertsArgs) -> String {
    let dir = args.out.display();
    let mut text = format!(
        "Certificates are valid for {} days, from a day back.\n\
         Keep {dir}/ca.key: whoever has it can make certificates; no program needs it to run.\n",
        args.days
    );
    if let Some(host) = args.host.first() {
        text += &format!(
            "\nTo the coordinator: server.pem, server.key, ca.pem\n  \
             retrotab coordinator ... --tls-cert server.pem --tls-key server.key\n  \
             and --tls-client-ca ca.pem, if callers must have certificates\n\
             To everybody who calls it: ca.pem\n  \
             retrotab worker --coordinator https://{host}:7420 --tls-ca ca.pem\n"
        );
    }
    for name in &args.client {
        text += &format!(
            "\nTo {name}: ca.pem, client-{name}.pem, client-{name}.key\n  \
             --tls-ca ca.pem --tls-cert client-{name}.pem --tls-key client-{name}.key\n"
        );
    }
    text
}

"""A service provider of pysaml2 as a process: each line of JSON is a call, and is answered by a line."""
import json
import sys

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, BINDING_SOAP
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NAMEID_FORMAT_TRANSIENT, NAME_FORMAT_BASIC
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

BINDINGS = {"redirect": BINDING_HTTP_REDIRECT, "post": BINDING_HTTP_POST, "soap": BINDING_SOAP}
SIGNING = {"sign": True, "sign_alg": SIG_RSA_SHA256, "digest_alg": DIGEST_SHA256}


class ServiceProvider:
    def __init__(self, url, key, certificate, xmlsec, metadata):
        self.issuer = None
        self.requests = {}
        self.names = {}
        config = {
            "entityid": url + "/pysaml2",
            "xmlsec_binary": xmlsec,
            "key_file": key,
            "cert_file": certificate,
            "encryption_keypairs": [{"key_file": key, "cert_file": certificate}],
            "metadata": {"local": [metadata]},
            "allow_unknown_attributes": True,
            "service": {
                "sp": {
                    "endpoints": {
                        "assertion_consumer_service": [(url + "/saml/acs", BINDING_HTTP_POST)],
                        "single_logout_service": [(url + "/saml/slo", BINDING_HTTP_REDIRECT)],
                    },
                    "authn_requests_signed": True,
                    "logout_requests_signed": True,
                    "want_assertions_signed": True,
                    "want_response_signed": True,
                    "allow_unsolicited": True,
                    "name_id_format": [NAMEID_FORMAT_PERSISTENT, NAMEID_FORMAT_TRANSIENT],
                }
            },
        }
        self.given = config
        self.load()

    def load(self):
        """Reads the metadata anew; who is signed in is kept."""
        self.config = SPConfig().load(self.given)
        users = self.client.users if hasattr(self, "client") else None
        self.client = Saml2Client(config=self.config)
        if users:
            self.client.users = users
        return True

    def metadata(self):
        return str(entity_descriptor(self.config))

    def login(self, issuer, binding, **more):
        request, info = self.client.prepare_for_authenticate(
            entityid=issuer,
            relay_state="/inside",
            binding=BINDINGS[binding],
            sigalg=SIG_RSA_SHA256,
            digest_alg=DIGEST_SHA256,
            **more,
        )
        self.requests[request] = "/inside"
        return self.outgoing(info)

    def acs(self, response):
        answer = self.client.parse_authn_request_response(response, BINDING_HTTP_POST, self.requests)
        if answer is None:
            raise ValueError("not accepted")
        self.requests.pop(answer.in_response_to, None)
        self.names[answer.name_id.text] = answer.name_id
        return {
            "nameId": answer.name_id.text,
            "format": answer.name_id.format,
            "attributes": answer.ava,
            "issuer": answer.issuer(),
            "context": answer.authn_info(),
            "solicited": answer.in_response_to is not None,
        }

    def logout(self, issuer, binding, nameId):
        done = self.client.do_logout(self.names[nameId], [issuer], "", None, expected_binding=BINDINGS[binding], **SIGNING)
        _, info = done[issuer]
        return self.outgoing(info)

    def logged_out(self, response, binding):
        answer = self.client.parse_logout_request_response(response, BINDINGS[binding])
        return {"ok": answer is not None and answer.status_ok()}

    def asked_to_log_out(self, request, binding, relayState):
        asked = self.client.parse_logout_request(request, BINDINGS[binding])
        name = asked.message.name_id.text
        info = self.client.handle_logout_request(
            request, self.names[name], BINDINGS[binding], relay_state=relayState, **SIGNING
        )
        return {"nameId": name, **self.outgoing(info)}

    @staticmethod
    def outgoing(info):
        headers = dict(info.get("headers") or [])
        return {"location": headers.get("Location"), "page": "".join(info.get("data") or [])}


sp = ServiceProvider(*sys.argv[1:6])
print(json.dumps({"result": "ready"}), flush=True)
for line in sys.stdin:
    call = json.loads(line)
    try:
        answer = {"result": getattr(sp, call["method"])(**call["arguments"])}
    except Exception as error:  # the test decides about refusals of pysaml2
        answer = {"error": type(error).__name__ + ": " + str(error)}
    print(json.dumps(answer), flush=True)

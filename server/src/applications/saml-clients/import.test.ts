import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { BINDING, type Fragment, idpMetadata, render, type SpRole, signed, spMetadata } from "../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { type Receiver, receiver } from "../../testing/receiver.ts";
import { ACS, goodIdpRole, goodSpRole, rs256, SP } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { refreshSamlMetadata } from "./index.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
let sp: Identity;
let federation: Identity;
let peer: Receiver;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  [sp, federation, peer] = await Promise.all([makeIdentity(), makeIdentity(), receiver()]);
});
afterAll(async () => {
  await peer?.close();
  await iam?.close();
});
beforeEach(async () => {
  realm = await iam.realm();
  admin = await realm.as("manage-clients", "view-clients");
});

const entity = (more: Partial<SpRole> = {}, entityId = SP, validUntil: number | null = null): Fragment =>
  spMetadata({ id: `_${entityId.replaceAll(/\W/g, "")}`, entityId, validUntil, sp: { ...goodSpRole(sp.certificate), ...more } });
const federationOf = (...entities: Fragment[]) =>
  `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${entities.map(render).join("")}</md:EntitiesDescriptor>`;
const upload = (xml: string, query = "", type = "application/samlmetadata+xml") =>
  admin.post(`/saml-clients/import${query}`, xml, { headers: { "content-type": type } });
const at = (entityId = SP) => `/saml-clients/${encodeURIComponent(entityId)}`;
const slo = "https://sp.example/saml/slo";
const listed = async () => (await admin.get("/saml-clients")).body.map(({ entityId }: { entityId: string }) => entityId);

describe("a file of metadata", () => {
  test.each(["application/samlmetadata+xml", "application/xml", "text/xml; charset=utf-8"])("as %s makes a SAML client", async (type) => {
    const answer = await upload(render(entity()), "", type);
    expect(answer, answer.text).toMatchObject({
      status: 201,
      headers: { location: `/admin/realms/${realm.name}${at()}`, etag: '"1"' },
      body: {
        entityId: SP,
        applicationId: null,
        enabled: true,
        assertionConsumerServiceUrl: `${ACS}?artifact=1`,
        singleLogoutServiceUrl: slo,
        signingCertificate: sp.pem,
        options: {
          name: "Ours & theirs",
          additionalAcsUrls: [ACS],
          acsEndpoints: [
            { url: ACS, binding: "post", index: 0, isDefault: false },
            { url: `${ACS}?artifact=1`, binding: "artifact", index: 1, isDefault: true },
          ],
          sloEndpoints: [{ url: slo, binding: "redirect", responseUrl: "https://sp.example/saml/slo-response" }],
          encryptionCertificate: sp.pem,
          encryptionAlgorithm: "http://www.w3.org/2009/xmlenc11#aes256-gcm",
          nameIdFormat: "persistent",
          wantAuthnRequestsSigned: true,
          signAssertion: true,
          signResponse: null,
        },
        metadata: { url: null, importedAt: expect.any(Number), validUntil: null, members: expect.arrayContaining(["signingCertificate"]) },
      },
    });
    expect((await admin.get(String(answer.headers.location).slice(`/admin/realms/${realm.name}`.length))).status).toBe(200);
    expect(await realm.events("type=ADMIN_CREATE&resourceType=saml-clients")).toMatchObject([{ resourceId: SP, detail: "imported" }]);
  });

  test("with preview=true shows the record that it would save, for a new one and a known one, and saves nothing", async () => {
    const preview = await upload(render(entity()), "?preview=true");
    expect(preview).toMatchObject({ status: 200, body: { entityId: SP, signingCertificate: sp.pem } });
    expect(preview.headers.etag).toBeUndefined();
    expect(await listed()).toEqual([]);
    await upload(render(entity()));
    const before = await admin.get(at());
    const changed = await upload(render(entity({ wantAssertionsSigned: false })), "?preview=true");
    expect(changed).toMatchObject({ status: 200, body: { options: { signAssertion: null } } });
    expect((await admin.get(at())).body).toEqual(before.body);
    expect(await realm.events("resourceType=saml-clients")).toHaveLength(1);
  });

  test("asks for the entityId if it describes several service providers, and lists no identity provider", async () => {
    const idp = idpMetadata({ id: "_idp", entityId: "https://idp.example", idp: goodIdpRole(sp.certificate) });
    const xml = federationOf(entity({}, "urn:a"), idp, entity({}, "urn:b"));
    expect(await upload(xml)).toMatchObject({
      status: 400,
      body: {
        code: "saml_clients.metadata_choice",
        errors: [
          { field: "entityId", code: "choice", message: "urn:a" },
          { field: "entityId", code: "choice", message: "urn:b" },
        ],
      },
    });
    expect((await upload(xml, "?entityId=urn:b")).status).toBe(201);
    expect((await upload(federationOf(idp, entity({}, "urn:c")))).body.entityId).toBe("urn:c");
    expect((await upload(xml, "?entityId=urn:d")).status).toBe(400);
    expect(await listed()).toEqual(["urn:b", "urn:c"]);
  });

  const bad: [string, () => string, string][] = [
    ["that is past its validUntil", () => render(entity({}, SP, clock.now() - 1_000)), "metadata.metadata_expired"],
    ["with a DOCTYPE", () => `<!DOCTYPE x [<!ENTITY a "b">]>${render(entity())}`, "metadata.doctype"],
    ["that is not XML", () => "hello", "metadata.not_well_formed"],
    ["that is empty", () => " ", "metadata.not_well_formed"],
    [
      "of an identity provider",
      () => render(idpMetadata({ id: "_i", entityId: SP, idp: goodIdpRole(sp.certificate) })),
      "metadata.metadata",
    ],
    ["without a consumer service for a browser", () => render(entity({ assertionConsumerServices: [] })), "metadata.metadata"],
  ];
  test.each(bad)("%s is refused", async (_what, xml, code) => {
    const answer = await upload(xml());
    expect(answer, answer.text).toMatchObject({ status: 400, body: { errors: [{ field: "body", code }] } });
    expect(await listed()).toEqual([]);
  });

  test("is refused if a SAML client of the same state would be, with the same field names", async () => {
    const acs = (location: string) => [{ binding: BINDING.post, location, responseLocation: null, index: 0, isDefault: null }];
    for (const [location, field] of [
      ["http://sp.example/acs", "assertionConsumerServiceUrl"],
      [`${iam.config.baseUrl}/realms/x/login`, "assertionConsumerServiceUrl"],
      [`https://sp.example/${"a".repeat(2048)}`, "assertionConsumerServiceUrl"],
    ] as const)
      expect(await upload(render(entity({ assertionConsumerServices: acs(location) }))), location).toMatchObject({
        status: 400,
        body: { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
      });
    const weak = await makeIdentity("rsa", 1024);
    expect(await upload(render(entity({ signingCertificates: [weak.certificate] })))).toMatchObject({
      status: 400,
      body: { errors: [{ field: "signingCertificate" }] },
    });
    expect(await upload(render(entity({}, `${iam.config.baseUrl}/realms/x`)))).toMatchObject({
      status: 400,
      body: { errors: [{ field: "entityId" }] },
    });
    const spelled = "https://SP.Example:443/acs";
    expect((await upload(render(entity({ assertionConsumerServices: acs(spelled) })))).body.assertionConsumerServiceUrl).toBe(spelled);
  });

  test("accepts XML only, up to a size, from administrators who may write", async () => {
    expect((await admin.post("/saml-clients/import", { xml: "<a/>" })).status).toBe(415);
    expect((await upload("<a/>", "", "text/plain")).status).toBe(415);
    expect((await upload(" ".repeat(4 * 1024 * 1024 + 1))).status).toBe(413);
    const viewer = await realm.as("view-clients");
    const headers = { "content-type": "text/xml" };
    expect((await viewer.post("/saml-clients/import?preview=true", render(entity()), { headers })).status).toBe(403);
    expect((await viewer.post("/saml-clients/import-url", { url: peer.url })).status).toBe(403);
  });
});

describe("another import of a known one", () => {
  const acsOf = (...locations: string[]) =>
    locations.map((location, index) => ({ binding: BINDING.post, location, responseLocation: null, index, isDefault: null }));
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => `https://sp.example/${name}`) as [string, string, string, string];

  test("updates the values from metadata, and keeps those that an administrator has set, added and removed", async () => {
    await upload(render(entity({ assertionConsumerServices: acsOf(a, b) })));
    const next = await makeIdentity();
    const byHand = {
      enabled: false,
      defaultAuthnContextClassRef: "urn:x",
      options: {
        nameIdFormat: "email",
        assertionLifetimeSeconds: 60,
        additionalAcsUrls: ["https://by-hand.example/acs"],
        additionalSigningCertificates: [next.pem],
      },
    };
    const changed = await admin.patch(at(), byHand);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.metadata.members).toContain("assertionConsumerServiceUrl");
    for (const member of ["options.nameIdFormat", "options.additionalAcsUrls", "signingCertificate"])
      expect(changed.body.metadata.members).not.toContain(member);
    const rolled = await makeIdentity();
    const again = await upload(
      render(
        entity({
          assertionConsumerServices: acsOf(c, b, d),
          signingCertificates: [rolled.certificate],
          encryptionCertificates: [rolled.certificate],
          authnRequestsSigned: false,
          singleLogoutServices: [],
        }),
      ),
    );
    expect(again, again.text).toMatchObject({
      status: 200,
      body: {
        ...{ enabled: false, defaultAuthnContextClassRef: "urn:x" },
        assertionConsumerServiceUrl: c,
        singleLogoutServiceUrl: null,
        signingCertificate: rolled.pem,
        options: {
          ...{ nameIdFormat: "email", assertionLifetimeSeconds: 60, wantAuthnRequestsSigned: null, sloEndpoints: [] },
          // An administrator has removed b.
          additionalAcsUrls: [d, "https://by-hand.example/acs"],
          additionalSigningCertificates: [next.pem],
          encryptionCertificate: rolled.pem,
        },
      },
    });
    expect(await realm.events("type=ADMIN_UPDATE&resourceType=saml-clients")).toHaveLength(2);
    const read = await admin.get(at());
    expect((await admin.put(at(), read.body)).status, "what GET says is a valid PUT").toBe(200);
    expect(await admin.put(at(), { ...read.body, metadata: null })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "metadata" }] },
    });
  });

  test("adds the settings that are not set to a client that an administrator created", async () => {
    const body = { entityId: SP, assertionConsumerServiceUrl: "https://by-hand.example/acs", options: { signAssertion: false } };
    expect((await admin.post("/saml-clients", body)).status).toBe(201);
    const answer = await upload(render(entity()));
    expect(answer, answer.text).toMatchObject({
      status: 200,
      body: {
        assertionConsumerServiceUrl: "https://by-hand.example/acs",
        signingCertificate: sp.pem,
        options: { signAssertion: false, additionalAcsUrls: [`${ACS}?artifact=1`, ACS], wantAuthnRequestsSigned: true },
      },
    });
  });
});

describe("an address of metadata", () => {
  const serve = (xml: string, status = 200, headers: Record<string, string> = {}) => {
    peer.answer = (_request, response) => void response.writeHead(status, headers).end(xml);
  };
  const fetchFrom = (body: object = {}, query = "") => admin.post(`/saml-clients/import-url${query}`, { url: peer.url, ...body });

  test("is read, and stored with its content", async () => {
    serve(render(entity({}, SP, clock.now() + 60_000)));
    const preview = await fetchFrom({}, "?preview=true");
    expect(preview).toMatchObject({ status: 200, body: { metadata: { url: peer.url } } });
    expect(await listed()).toEqual([]);
    const answer = await fetchFrom();
    expect(answer, answer.text).toMatchObject({
      status: 201,
      headers: { location: `/admin/realms/${realm.name}${at()}` },
      body: { metadata: { url: peer.url, validUntil: expect.any(Number) } },
    });
    expect((await fetchFrom()).status).toBe(200);
    expect(await realm.events("type=ADMIN_CREATE&resourceType=saml-clients")).toMatchObject([{ detail: `imported from ${peer.url}` }]);
  });

  test("is read again by itself: changes are applied, a failure is shown, and unchanged metadata causes no event", async () => {
    const moved = "https://moved.example/acs";
    const outbound = createOutbound({ allowedHosts: [], allowLoopbackHttp: true });
    const refresh = async () => {
      await refreshSamlMetadata({ ...iam.core.background, outbound, baseUrl: iam.config.baseUrl });
      return (await admin.get(at())).body;
    };
    const due = () => iam.core.db.updateTable("saml_clients").set({ metadata_due_at: clock.now() }).where("realm_id", "=", realm.name);
    const whenDue = async () => {
      await due().execute();
      return refresh();
    };
    const updates = async () => (await realm.events("type=ADMIN_UPDATE&resourceType=saml-clients")).length;
    const certificate = federation.pem;
    serve(render(await signed(entity(), rs256(federation))));
    const before = peer.received.length;
    expect((await fetchFrom({ certificate })).body.metadata).toMatchObject({ refresh: true, lastError: null });
    await refresh();
    expect(peer.received, "not before it is due").toHaveLength(before + 1);
    expect([(await whenDue()).metadata.lastError, await updates(), peer.received.length]).toEqual([null, 0, before + 2]);

    const elsewhere = entity({
      assertionConsumerServices: [{ ...goodSpRole(sp.certificate).assertionConsumerServices[0]!, location: moved }],
    });
    serve(render(await signed(elsewhere, rs256(sp))));
    const refused = await whenDue();
    expect(refused.metadata.lastError, "another certificate than the pinned one").toEqual(expect.any(String));
    expect(refused.assertionConsumerServiceUrl).not.toBe(moved);
    serve(render(await signed(elsewhere, rs256(federation))));
    expect(await whenDue()).toMatchObject({ assertionConsumerServiceUrl: moved, metadata: { lastError: null } });
    expect(await updates()).toBe(1);

    await admin.delete(at());
    expect((await fetchFrom({ refresh: false })).body.metadata).toMatchObject({ refresh: false });
    const received = peer.received.length;
    await whenDue();
    expect(peer.received, "not where it is switched off").toHaveLength(received);
    await outbound.close();
  });

  test("counts only with the signature of the pinned certificate, if there is one", async () => {
    const certificate = federation.pem;
    serve(render(await signed(entity(), rs256(federation))));
    expect((await fetchFrom({ certificate })).status).toBe(201);
    for (const xml of [
      render(entity()),
      render(await signed(entity(), rs256(sp))),
      render(await signed(entity(), rs256(federation))).replace(ACS, "https://evil.example/acs"),
    ]) {
      serve(xml);
      expect(await fetchFrom({ certificate })).toMatchObject({
        status: 400,
        body: { errors: [{ field: "url", code: expect.stringMatching(/^metadata\.signature/) }] },
      });
    }
    expect((await admin.get(at())).headers.etag).toMatch(/^"1\./);
    const received = peer.received.length;
    expect(await fetchFrom({ certificate: "nonsense" })).toMatchObject({ status: 400, body: { errors: [{ field: "certificate" }] } });
    expect(peer.received).toHaveLength(received);
  });

  test("within the network, with another scheme, or that redirects there is not called", async () => {
    for (const url of [
      ...["https://169.254.169.254/latest/meta-data", "https://10.0.0.1/x", "https://[::ffff:192.168.0.1]/x", "https://0x0a000001/"],
      ...["http://sp.example.com/metadata", "file:///etc/passwd", "gopher://127.0.0.1/", "https://user:pass@127.0.0.1/", "nonsense"],
    ])
      expect(await fetchFrom({ url }), url).toMatchObject({ status: 400, body: { errors: [{ field: "url" }] } });
    serve("", 302, { location: "https://169.254.169.254/" });
    expect(await fetchFrom()).toMatchObject({ status: 400, body: { errors: [{ field: "url", code: "status" }] } });
    serve("missing", 404);
    expect(await fetchFrom()).toMatchObject({ status: 400, body: { errors: [{ field: "url", code: "status" }] } });
  });

  test("that never answers, answers byte by byte or does not end is given up, and nothing is saved", async () => {
    // The limit is ten seconds, which the test shortens.
    const wait = setTimeout;
    const hurry = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((run: () => void, ms: number) => wait(run, ms === 10_000 ? 300 : ms)) as typeof setTimeout);
    const closed: Promise<unknown>[] = [];
    try {
      const peers: [string, Receiver["answer"]][] = [
        ["timeout", () => {}],
        [
          "timeout",
          (_, response) => {
            response.writeHead(200).write("<");
            const drip = setInterval(() => response.write(" "), 20);
            response.once("close", () => clearInterval(drip));
          },
        ],
        [
          "too_large",
          (_, response) => {
            response.writeHead(200);
            const more = () => {
              while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, " ")));
            };
            response.on("drain", more);
            more();
          },
        ],
      ];
      for (const [code, answer] of peers) {
        peer.answer = (request, response) => {
          closed.push(once(response, "close"));
          answer(request, response);
        };
        const requested = fetchFrom();
        expect((await admin.get("/saml-clients")).status, "others do not wait for it").toBe(200);
        expect(await requested).toMatchObject({ status: 400, body: { errors: [{ field: "url", code }] } });
      }
      await Promise.all(closed);
    } finally {
      hurry.mockRestore();
    }
    expect(await listed()).toEqual([]);
  });

  test("that is too large, incomplete or malformed is refused, and nothing is saved", async () => {
    peer.answer = (_request, response) => void response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024, " "));
    expect(await fetchFrom()).toMatchObject({ status: 400, body: { errors: [{ field: "url", code: "too_large" }] } });
    peer.answer = (_request, response) => {
      response.writeHead(200, { "content-length": "1000" }).write("<md");
      response.destroy();
    };
    expect(await fetchFrom()).toMatchObject({ status: 400, body: { errors: [{ field: "url", code: "connect" }] } });
    serve(`<!DOCTYPE x SYSTEM "file:///etc/passwd">${render(entity())}`);
    expect(await fetchFrom()).toMatchObject({ status: 400, body: { errors: [{ field: "url", code: "metadata.doctype" }] } });
    serve(render(entity({}, SP, clock.now() - 1)));
    expect(await fetchFrom()).toMatchObject({ status: 400, body: { errors: [{ field: "url", code: "metadata.metadata_expired" }] } });
    expect(await listed()).toEqual([]);
  });
});

const time = 1_767_225_600_000;
const id = "019b76da-a800-7b1c-8d2e-4f5a6b7c8d9e";
const userId = "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f";
const screen = { clientId: "shop", clientName: "Web shop", sourceIp: "203.0.113.7", userAgent: "Mozilla/5.0" };
const lasts = { createdAt: time, expiresAt: time + 120_000 };
const payloadHash = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
const transaction = { type: "payment", summary: "Pay 20 euro to the web shop", payloadHash, acr: "2" };

export const examplesOfDevices = {
  EnrollmentStart: {
    ...{ challenge: "1767226200000.random.signature", audience: "https://id.example.com/realms/acme/device/enroll" },
    ...{
      algorithms: ["ES256", "RS256"],
      realm: "acme",
      username: "ada",
      label: "Ada's phone",
      pushDriver: "fcm",
      expiresAt: time + 600_000,
    },
  },
  EnrollDevice: {
    key: { kty: "EC", crv: "P-256", x: "the point's x", y: "the point's y" },
    proof: "a JWS by that key",
    ...{ name: "Ada's phone", platform: "Android 16", pushToken: { driver: "fcm", token: "the-token-that-the-app-was-given" } },
  },
  EnrolledDevice: { deviceId: id, name: "Ada's phone", alg: "ES256", username: "ada", createdAt: time },
  PushRequest: { id, status: "PENDING", ...screen, ...lasts },
  PushApproval: { number: "42" },
  CsrfOnly: {},
  PushAnswer: { status: "APPROVED" },
  QrRequest: { id, status: "PENDING", ...screen, code: "4821", ...lasts },
  QrAnswer: { status: "APPROVED" },
  CreateTransaction: { ...transaction, expiresIn: 300, userId },
  Transaction: {
    ...{ id, status: "PENDING", ...transaction, userId, clientId: "shop", createdAt: time, expiresAt: time + 300_000 },
    ...{ signedAt: null, consumedAt: null, jws: null },
  },
  SignTransaction: { factor: "totp", value: "123456" },
};

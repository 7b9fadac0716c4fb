import Type, { type Static } from "typebox";
import { nullable, time } from "../../platform/http/index.ts";

export const ServiceAccountSession = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The client's id in the admin API" }),
    realmId: Type.String(),
    clientId: Type.String({ description: "The OAuth client id of the client" }),
    name: nullable(Type.String()),
    createdAt: time,
    lastSeenAt: time,
    expiresAt: Type.Integer({ description: "The time when the last of its tokens expires, in epoch milliseconds" }),
    tokens: Type.Integer({ description: "The number of tokens issued since `createdAt`" }),
    sourceIp: nullable(Type.String(), "The address of its last token request"),
  },
  {
    $id: "ServiceAccountSession",
    examples: [
      {
        id: "01995c2e-6d3a-7c55-8f0a-3b1d2f4e5a60",
        realmId: "acme",
        clientId: "nightly-export",
        name: "Nightly export",
        createdAt: 1790000000000,
        lastSeenAt: 1790000240000,
        expiresAt: 1790000540000,
        tokens: 12,
        sourceIp: "192.0.2.10",
      },
    ],
  },
);
export type ServiceAccountSession = Static<typeof ServiceAccountSession>;

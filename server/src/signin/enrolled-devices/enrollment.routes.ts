import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { declare, link, Problem, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { EnrollDevice, EnrolledDevice, EnrollmentStart } from "./enrollment.schema.ts";
import { type Enrolling, type EnrollmentParts, enrollDevice, startEnrollment } from "./enrollment.service.ts";
import { deviceErrors } from "./errors.ts";

/** The limit for a key, a proof and a push token. */
const BODY_LIMIT = 32 * 1024;
const TOKEN = /^[A-Za-z0-9_-]{20,128}$/;

/** Mounted under /realms/:realm/device. */
export const enrollmentRoutes: FastifyPluginAsyncTypebox<EnrollmentParts> = async (app, parts) => {
  // Content types that a page of another site can send without a CORS preflight are refused here.
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  declare(app, { tags: ["Devices"], caller: link({ in: "header" }), limit: "enrollments", errors: "problem" });

  const enrolling = ({ presentedToken: token, realmId, ip, id }: FastifyRequest): Enrolling => {
    if (token === null || !TOKEN.test(token)) throw deviceErrors.bad_token(token !== null);
    return { realm: realmId, token, from: requestSource({ ip, id }) };
  };

  route(app, "POST", "/enroll/start", {
    bodyLimit: BODY_LIMIT,
    summary: "Begin to enroll a device",
    description:
      "`Authorization: Bearer` with an enrollment token (`POST /account/credentials`, or an administrator's `POST /users/{id}/credentials`). " +
      "The device makes a key and signs the challenge with it. The challenge can be requested again until the token expires.",
    response: { 200: EnrollmentStart, 401: Problem },
    handler: async (request) => startEnrollment(parts, enrolling(request)),
  });

  route(app, "POST", "/enroll", {
    bodyLimit: BODY_LIMIT,
    // Order of refusals: a missing token is reported first, whatever else is wrong.
    attachValidation: true,
    summary: "Enroll a device",
    description:
      "Uses up the enrollment token. Afterwards the device can approve sign-ins (`/push`) and sign transactions (`/tx`) with its key.",
    body: EnrollDevice,
    response: { 201: EnrolledDevice, 401: Problem, 409: Problem },
    handler: async (request, reply) => {
      const who = enrolling(request);
      if (request.validationError) {
        await startEnrollment(parts, who);
        throw request.validationError;
      }
      return reply.code(201).send(await enrollDevice(parts, who, request.body));
    },
  });
};

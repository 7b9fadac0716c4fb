import { AppError, defineErrors, invalidFields } from "../../kernel/errors.ts";

export const deviceErrors = {
  ...defineErrors("devices", {
    not_found: [404, "You have no such request: it may have ended, or belong to another user"],
    answered: [409, "This request was already answered or has ended: start the sign-in again"],
    too_many: [409, "You have the maximum number of devices: remove one first"],
    push_token_taken: [409, "This push token belongs to another account: remove the device there first, or enroll without a push token"],
    same_browser: [403, "This browser is the one that is signing in: answer on another device"],
    weak_session: [
      403,
      "You signed in here with a password or an identity provider alone: sign in on this device with a second factor, or use an enrolled device",
    ],
    stale_session: [403, "Your sign-in on this device is too old: sign in again on it, then confirm"],
    wrong_number: [403, "That is not the number on the other screen: type the number that it shows"],
    wrong_numbers: [403, "That was not the number on the other screen either. To be safe, the sign-in was stopped. Start it again"],
  }),
  bad_device: () =>
    new AppError(
      "devices.bad_proof",
      401,
      "The device's proof is not valid: it has to be signed by an enrolled key, for this very address, less than a minute ago",
      { headers: { "www-authenticate": 'Device error="invalid_token"' } },
    ),
  /** Browsers show no dialog for this scheme. RFC 6750 §3.1: without a token there is no error code. */
  bad_token: (isPresented = true) =>
    new AppError(
      "devices.bad_enrollment_token",
      401,
      "The enrollment token is not valid, was used already, or has expired: ask for a new one",
      { headers: { "www-authenticate": isPresented ? 'Bearer error="invalid_token"' : "Bearer" } },
    ),
  bad_challenge: () =>
    invalidFields(
      [
        {
          field: "proof",
          code: "challenge",
          message: "proof: the challenge does not belong to this enrollment, or has expired: start again",
        },
      ],
      "devices.bad_challenge",
    ),
  bad_proof: (message: string) => invalidFields([{ field: "proof", code: "proof", message: `proof: ${message}` }], "devices.bad_proof"),
  bad_key: (message: string) => invalidFields([{ field: "key", code: "key", message: `key: ${message}` }], "devices.bad_key"),
};

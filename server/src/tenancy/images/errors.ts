import { type AppError, defineErrors, invalidFields } from "../../kernel/errors.ts";

export const imageErrors = defineErrors("images", {
  not_found: [404, "The realm has no such image"],
  too_large: [413, "An image has at most 512 kB"],
  media_type: [415, "Send the image itself, as image/png or image/svg+xml"],
});

/** The error for a picture that is not accepted, with the reason. */
export const imageFault = (reason: string, cause?: unknown): AppError =>
  Object.assign(invalidFields([{ field: "body", code: "image", message: `The image cannot be used: ${reason}` }], "images.invalid"), {
    ...(cause !== undefined && { cause }),
  });

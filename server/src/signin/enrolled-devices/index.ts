// Enrolled devices: phones that hold a key of the user's, and the pages and endpoints by which they approve sign-ins (push) and let screens
// in (qr). The keys are credentials of the type `push`. Open challenges are in signin/authenticators.
export { type Device, findDevice, markDeviceUsed } from "./devices.store.ts";
export { enrollmentRoutes } from "./enrollment.routes.ts";
export { deviceNamedIn, readProof } from "./keys.ts";
export { createDeviceProver, type DeviceProof, type DeviceProver, ownerOf } from "./prover.ts";
export { pushRoutes } from "./push.routes.ts";
export { qrRoutes } from "./qr.routes.ts";
export { createScreens, PageQuery, takesForms } from "./screens.ts";

// Users: who they are and how they are found at sign-in. Owns `users` and `login_names`.
// Changes go through `findUserForUpdate`, which holds the row and applies the escalation rule.

export { updateBrokeredUser } from "./brokered.service.ts";
export { createUserToSignIn, prepareFirstPassword } from "./creation.service.ts";
export { userCredentialRoutes } from "./credentials.routes.ts";
export {
  CreateCredential,
  CreatedCredential,
  CreatedOwnCredential,
  CreateOwnCredential,
  Credential,
  CredentialSetup,
  RenameCredential,
} from "./credentials.schema.ts";
export { endOwnEnrollment, readCredentials } from "./credentials.service.ts";
export { eraseOneself, eraseUser } from "./erasure.ts";
export { userErrors } from "./errors.ts";
export { changeSource, disableFederatedUser, saveFederatedUser } from "./federated.service.ts";
export {
  type AddressHolder,
  type AddressProof,
  findAddressHolder,
  holdsAddress,
  inactiveKey,
  isMailShaped,
  reclaimLoginNames,
  refusalOfUsername,
  releaseLoginNames,
} from "./login-names.store.ts";
export { orderOfJoined, pageOfNamed } from "./named.store.ts";
export { withCleanNames } from "./names.ts";
export {
  changeOwnEmail,
  changeOwnPassword,
  confirmEmail,
  createOwnEnrollmentToken,
  isAddressOf,
  keepOutsideProfile,
  replaceOwnPassword,
  revokeOwnCredential,
  saveOwnProfile,
  takeOwnUser,
} from "./own.service.ts";
export { checkProfile, fittingAttributes, profileFaults, valueFault, valuesOf, withPhoneProof } from "./profile.ts";
export { requiredActionRoutes } from "./required-actions.routes.ts";
export { type RequiredAction, requiredActions } from "./required-actions.schema.ts";
export { requireAction } from "./required-actions.service.ts";
export { addRequiredAction, dropRequiredAction, findRequiredActions, replaceRequiredActions } from "./required-actions.store.ts";
export { assignRole, unassignRole } from "./roles.service.ts";
export { addRoles, dropRoles } from "./roles.store.ts";
export { userRoutes } from "./routes.ts";
export { ATTRIBUTE_NAME, attributeValue, CreateUser, loginNameMembers, mailAddress, User } from "./schema.ts";
export { acceptRecoveryCode, addFirstRecoveryCodes, addTotp, checkRecoveryCode, createOwnRecoveryCodes } from "./second-factors.service.ts";
export {
  createUser,
  findUserForUpdate,
  holdUser,
  isSelf,
  readUser,
  removeUser,
  resetPassword,
  saveUser,
  seedAdmin,
  setPassword,
  spellGrants,
} from "./service.ts";
export { deleteUser, findUser, findUserByLogin, holdUserForSignIn, touchUser, type UserRow } from "./store.ts";

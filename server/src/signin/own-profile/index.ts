// The user profile on people's own forms: registration, “complete your profile”, the account. It chooses the attributes that a form asks for, and reads their values.
export {
  type AskedAttribute,
  askedAtRegistration,
  faultIn,
  isIn,
  type ProfileFault,
  shownAttribute,
  shownInProfile,
  typedIn,
} from "./fields.ts";
export { fixedMembersOf, identifyingMembers } from "./identifying.store.ts";

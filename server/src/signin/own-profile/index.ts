// The user profile on people's own forms: registration, “complete your profile”, the account. Which attributes a form asks for, and what was typed.
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

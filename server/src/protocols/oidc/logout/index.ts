// RP-Initiated Logout, and Back-Channel Logout of a session's participants.
export { BACKCHANNEL_JOB, backchannelJob, notifyOidcParticipants } from "./backchannel.ts";
export { createLogoutRequests } from "./requests.ts";

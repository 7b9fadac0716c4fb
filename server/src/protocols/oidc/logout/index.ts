// RP-Initiated Logout, and Back-Channel Logout of the clients that took part in a session.
export { BACKCHANNEL_JOB, backchannelJob, notifyOidcParticipants } from "./backchannel.ts";
export { createLogoutRequests } from "./requests.ts";

// Challenges: what somebody is asked on another screen than the one that waits. Owns `device_challenges`: sign-ins to approve (push)
// and screens to let in (qr). Who may answer is for signin/enrolled-devices to find out; the steps that wait are in signin/authenticators.
export {
  approveChallenge,
  CHALLENGE_LIFETIME,
  confirmChallenge,
  denyChallenge,
  startPush,
  startQr,
  type Waiting,
} from "./service.ts";
export {
  type Challenge,
  type ChallengeKind,
  type ChallengeStatus,
  deleteEndedChallenges,
  findChallenge,
  openChallengesOf,
  useChallenge,
} from "./store.ts";

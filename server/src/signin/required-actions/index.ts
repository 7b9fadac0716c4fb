// Required actions: tasks that users have to do before they continue, each a question on its own page. signin/run asks them after the steps
// of a flow.
export { askToChangeEmail, CHANGE_EMAIL_PATH, followChangeEmail, notifyCurrentAddress, pendingEmailOf } from "./change-email.ts";
export { actionQuestions, isUsername } from "./questions.ts";
export { refusalOf } from "./update-password.tsx";
export { VERIFY_EMAIL_PATH } from "./verify-email.tsx";

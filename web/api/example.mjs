// A script that uses the admin API: it creates a user, changes it without losing another change, finds it among all, and deletes it.
//   npm run build -w web/api
//   TOKEN=… node web/api/example.mjs http://localhost:8080 master
import { ApiProblem, createApi } from "./dist/gatehouse-api.mjs";

const [baseUrl = "http://localhost:8080", realm = "master"] = process.argv.slice(2);
const { TOKEN } = process.env;
if (!TOKEN) throw new Error(`TOKEN is not set: an access token with the audience ${baseUrl}/admin`);
const api = createApi({ baseUrl, token: TOKEN });
const users = `/admin/realms/${realm}/users`;

// A response that is not a success is thrown, with the faults of each member.
try {
  await api.request("POST", users, { body: { username: "katherine", email: "not an address" } });
} catch (error) {
  if (!(error instanceof ApiProblem)) throw error;
  console.log(`refused: ${error.status}, email: ${error.fieldError("email")}`);
}

const { data: made } = await api.request("POST", users, { body: { username: "katherine", email: "katherine@example.com" } });

// The ETag of the read is sent with the write, which is refused if another change came first.
const { data: user, etag } = await api.request("GET", `${users}/${made.userId}`);
await api.request("PUT", `${users}/${made.userId}`, { body: { ...user, attributes: { firstName: "Katherine" } }, ifMatch: etag });
const late = await api.request("PUT", `${users}/${made.userId}`, { body: user, ifMatch: etag }).catch((error) => error);
console.log(`too late: ${late.status}`);

// This reads every user, page by page.
const names = [];
for await (const { username } of api.all(users)) names.push(username);
console.log(`users: ${names.includes("katherine") ? "katherine is among them" : "katherine is missing"}`);

await api.request("DELETE", `${users}/${made.userId}`);
console.log("deleted");

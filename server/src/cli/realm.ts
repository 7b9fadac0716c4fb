import { clock } from "../kernel/clock.ts";
import { ListQuery } from "../platform/paging/index.ts";
import { shippedBreaches } from "../platform/passwords/index.ts";
import { CreateRealm, createRealm, MASTER, prepareRealm, searchRealms } from "../tenancy/realms/index.ts";
import { applyDocument } from "./apply.ts";
import { checked } from "./checked.ts";
import { type Command, type ExitCode, type Invocation, UsageError } from "./command.ts";
import { cliOrigin, withCore } from "./core.ts";
import { exportRealm } from "./export.ts";
import { choosePassword } from "./secrets.ts";

export const run: Command = async (call) => {
  switch (call.action) {
    case "create":
      return create(call);
    case "export":
      return exportRealm(call);
    case "import":
      return applyDocument(call, call.args[0]!);
    default:
      return list(call);
  }
};

async function create(call: Invocation): Promise<ExitCode> {
  const [realm = ""] = call.args;
  const displayName = call.options["display-name"] as string | undefined;
  const input = checked(CreateRealm, { realm, ...(displayName !== undefined && { displayName }) });
  const { password, toShow } = await choosePassword(call, "admin-password-file");
  const created = await withCore(call, async (core) => {
    const { seed } = await prepareRealm({ ...core, breaches: shippedBreaches() }, { ...input, adminPassword: password });
    // As with the API, `master` creates the realm, and its audit trail has the event.
    return core.work.transact(cliOrigin(MASTER), (ctx) => createRealm(ctx, seed));
  });
  const { realmId, displayName: name, createdAt } = created;
  const text = [`Created the realm ${realm}. Its administrator is admin.`, ...(toShow === null ? [] : ["", `  Password    ${toShow}`])];
  call.print({ realm, realmId, displayName: name, createdAt, ...(toShow !== null && { adminPassword: toShow }) }, text.join("\n"));
  return 0;
}

async function list(call: Invocation): Promise<ExitCode> {
  const { search } = call.options as { search?: string };
  const query = checked(ListQuery, {
    ...(search !== undefined && { search }),
    page: number(call, "page", 0),
    size: number(call, "size", 100),
  });
  const { rows, total, estimated } = await withCore(call, ({ db }) =>
    searchRealms({ ...cliOrigin(MASTER), tx: db, now: clock.now() }, query),
  );
  const realms = rows.map(({ realm, displayName, createdAt }) => ({ realm, displayName, createdAt }));
  const lines = realms.map(({ realm, displayName }) => (displayName === null ? realm : `${realm}  ${displayName}`));
  const summary = `${realms.length} of ${estimated ? "about " : ""}${total}.`;
  call.print({ realms, total, estimated }, [...lines, "", summary].join("\n"));
  return 0;
}

function number(call: Invocation, name: string, preset: number): number {
  const given = call.options[name];
  if (given === undefined) return preset;
  if (!/^\d{1,7}$/.test(String(given))) throw new UsageError(`--${name} takes a number, got "${given}".`, "realm");
  return Number(given);
}

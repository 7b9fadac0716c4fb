import type { Applied } from "./targets.ts";

const signs = { create: "+", update: "~", delete: "-" } as const;
const MAX_VALUE = 60;

/** Writes a plan for people: what is created (+), changed (~) and deleted (-), by section. */
export function spellPlan({ realm, dryRun, newRealm, digest, actions, generated, lacking }: Applied): string {
  const isPlanned = dryRun && newRealm;
  const lines = isPlanned ? [`There is no realm “${realm}” yet: apply creates it.`] : [];
  let section = "";
  for (const { section: of, key, action, changes } of actions) {
    if (of !== section) lines.push(of);
    section = of;
    lines.push(`  ${signs[action]} ${key === "" ? of : key}`);
    if (action === "update")
      for (const { path, before, after, secret } of changes)
        lines.push(`      ${path}: ${secret ? "another secret" : `${shown(before)} -> ${shown(after)}`}`);
  }
  for (const { section: of, key, path } of generated) lines.push(`The server generated ${path} of ${of} ${key}.`);
  for (const { section: of, permission } of lacking) lines.push(`Not compared: ${of}. That needs the permission ${permission}.`);
  const count = (kind: keyof typeof signs) => actions.filter(({ action }) => action === kind).length;
  const [made, changed, deleted] = [count("create"), count("update"), count("delete")];
  if (actions.length === 0 && !isPlanned) return [...lines, `${realm} already matches the document.`].join("\n");
  const verb = dryRun ? "would be " : "";
  lines.push(`${realm}: ${made} ${verb}created, ${changed} ${verb}updated, ${deleted} ${verb}deleted.`);
  if (dryRun) lines.push(`Plan ${digest}`);
  return lines.join("\n");
}

function shown(value: unknown): string {
  if (value === undefined) return "(default)";
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

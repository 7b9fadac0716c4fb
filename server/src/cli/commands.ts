import { settingFlags } from "../config/settings.ts";
import type { CommandEntry, Option } from "./command.ts";

const realmOption: Option = { name: "realm", value: "name", doc: "The realm (default master)." };
const usernameOption = { name: "username", value: "name" } as const;
const passwordFileOption: Option = {
  name: "password-file",
  value: "file",
  doc: "The file with the password (- for standard input). Without it, the command generates a password and shows it.",
};

const fileOption: Option = {
  name: "file",
  value: "path",
  doc: "A file in YAML or JSON, a folder of such files, or several separated by commas (-f for short).",
};
const remoteOptions: readonly Option[] = [
  { name: "server", value: "url", doc: "The base URL of a running server, instead of the database." },
  { name: "token-file", value: "file", doc: "The file with an access token for its admin API (- for standard input)." },
];
const passphraseOption: Option = { name: "passphrase-file", value: "file", doc: "The file with the passphrase of sealed secrets." };
const documentOptions: readonly Option[] = [
  fileOption,
  { name: "realm", value: "name", doc: "The realm (default: the member `realm` of the document)." },
  { name: "source", value: "name", doc: "The name under which created objects are recorded for --prune (default apply)." },
  { name: "prune", value: null, doc: "Delete objects that an earlier apply of this source created and that the document no longer has." },
  { name: "prune-all", value: null, doc: "Delete all objects that the sections of the document do not have." },
  passphraseOption,
  ...remoteOptions,
];

/** Every command, in the order of the help. */
export const commands = {
  start: {
    summary: "Start the server",
    options: [{ name: "apply", value: "path", doc: "First apply the documents of this file or folder, each to the realm that it names." }],
    readsConfig: true,
  },
  migrate: {
    summary: "Bring the database up to date, as every start does",
    actions: {
      up: { summary: "Run the migrations that are missing" },
      status: { summary: "List the migrations; exit code 1 if some are missing" },
    },
    readsConfig: true,
  },
  admin: {
    summary: "Restore an administrator's access, or create an administrator",
    actions: {
      "reset-password": {
        summary: "Set a user's password, lift every lock on the user and end the user's sessions",
        options: [realmOption, { ...usernameOption, doc: "The user (default admin)." }, passwordFileOption],
      },
      create: {
        summary: "Create a user with the role admin or, if that role lacks realm-admin, with another role that has it",
        options: [realmOption, { ...usernameOption, doc: "The new user's name (required)." }, passwordFileOption],
      },
    },
    readsConfig: true,
  },
  realm: {
    summary: "Create, list, export and import realms",
    actions: {
      create: {
        summary: "Create a realm with its user admin",
        args: ["<name>"],
        options: [
          { name: "display-name", value: "text", doc: "The name on pages and in messages." },
          {
            name: "admin-password-file",
            value: "file",
            doc: "The file with the password of its admin. Without it, the command generates a password and shows it.",
          },
        ],
      },
      list: {
        summary: "List realms by name",
        options: [
          { name: "search", value: "text", doc: "List only realms whose name begins with this text." },
          { name: "page", value: "number", doc: "The page, from 0 (default 0)." },
          { name: "size", value: "number", doc: "The number of realms on a page, 1 to 1000 (default 100)." },
        ],
      },
      export: {
        summary: "Write a realm's configuration as one document",
        args: ["<name>"],
        options: [
          { name: "out", value: "file", doc: "Write the document to this file (default: standard output)." },
          { name: "format", value: "yaml|json", doc: "The format (default: by the file name, otherwise yaml)." },
          { name: "sections", value: "names", doc: "Write only these sections, separated by commas." },
          { name: "full", value: null, doc: "Include members that have their default value." },
          { name: "users", value: null, doc: "Include the users; --passphrase-file adds their password hashes." },
          {
            ...passphraseOption,
            doc: "The file with the passphrase that seals secrets and signing keys. Without it, the document leaves them out.",
          },
          ...remoteOptions,
        ],
      },
      import: {
        summary: "Change a realm to match a document; apply does the same, and can prune",
        args: ["<name>"],
        options: [
          fileOption,
          { name: "dry-run", value: null, doc: "Show the changes without making them; exit code 2 if there are any." },
          passphraseOption,
          ...remoteOptions,
        ],
      },
    },
    readsConfig: true,
  },
  apply: {
    summary: "Change a realm to match files; a missing realm is created",
    options: [
      ...documentOptions,
      { name: "dry-run", value: null, doc: "Show the changes without making them; exit code 2 if there are any." },
      { name: "plan", value: "digest", doc: "Apply only if the plan still has the digest that a dry run showed." },
    ],
    readsConfig: true,
  },
  diff: {
    summary: "Show what apply would change; exit code 0 for no change, 2 for changes, 1 for a failure",
    options: documentOptions,
    readsConfig: true,
  },
  key: {
    summary: "Seal the database under a new master key, or rotate a realm's signing key",
    actions: {
      rewrap: { summary: "Seal everything that an older master key sealed under the current one; you may stop it and run it again" },
      rotate: { summary: "Give a realm a new signing key; the previous one stays published", args: ["<realm>"] },
    },
    readsConfig: true,
  },
  config: {
    summary: "Show the configuration",
    actions: { print: { summary: "Print every setting with its value and source; secrets are hidden" } },
    readsConfig: true,
  },
  doctor: {
    summary: "Check this machine and the configuration, and say how to correct each fault",
    readsConfig: true,
  },
  healthcheck: {
    summary: "Ask the server on this machine whether it is ready",
    options: [{ name: "timeout", value: "ms", doc: "The longest wait for the answer, in milliseconds (default 3000)." }],
    readsConfig: true,
  },
  openapi: {
    summary: "Print the OpenAPI description of the API; needs no running server",
    options: [
      { name: "out", value: "file", doc: "Write the description to this file (default: standard output)." },
      { name: "check", value: "file", doc: "Compare the description with this file; exit code 1 if they differ." },
    ],
  },
  version: { summary: "Show the version" },
  help: { summary: "Show this help, or the help of one command", args: ["[command]"] },
} as const satisfies Record<string, CommandEntry>;

export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as readonly CommandName[];

export const isCommand = (word: string): word is CommandName => Object.hasOwn(commands, word);
export const entryOf = (name: CommandName): CommandEntry => commands[name];

const everywhere: readonly Option[] = [
  { name: "json", value: null, doc: "Answer in JSON." },
  { name: "help", value: null, doc: "Show the help of this command." },
];

const configOptions: readonly Option[] = [
  { name: "config", value: "file", doc: "The configuration file (default ./gatehouse.yaml, if there is one)." },
  ...settingFlags.map(({ name, takesValue, doc }) => ({ name, value: takesValue ? "value" : null, doc })),
];

/** Returns all options of a command, and of the action if one is named. */
export const optionsOf = (entry: CommandEntry, action: string | null): readonly Option[] => [
  ...((action !== null && entry.actions?.[action]?.options) || []),
  ...(entry.options ?? []),
  ...(entry.readsConfig ? configOptions : []),
  ...everywhere,
];

// The real programs that the tests use: their places, and how to start them.
// A finder returns undefined if the program is missing: `test.skipIf(!chromiumPath())`.

export { startDomain } from "./domain.mjs";
export {
  apacheWithMellon,
  apacheWithOpenidc,
  apacheWithShibboleth,
  chromiumPath,
  oasisSchemas,
  openLdap,
  pgbouncerPath,
  postgresBin,
  pysaml2Python,
  redisServerPath,
  sambaDomain,
  simpleSamlPhp,
  w3cSchemas,
  xmllintPath,
  xmlsecPath,
} from "./find.mjs";

export { freePort } from "./keeper.mjs";
export { startOpenLdap } from "./openldap.mjs";
export { startPostgres, startPostgresOfRun, startStandby } from "./postgres.mjs";

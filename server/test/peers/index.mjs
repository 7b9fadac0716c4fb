// The real programs that the tests talk to: where they are, and how to start one.
// A finder answers undefined when the program is not there: `test.skipIf(!chromiumPath())`.
export {
  apacheWithOpenidc,
  chromiumPath,
  oasisSchemas,
  pgbouncerPath,
  postgresBin,
  redisServerPath,
  w3cSchemas,
  xmllintPath,
  xmlsecPath,
} from "./find.mjs";
export { freePort, startPostgres } from "./postgres.mjs";

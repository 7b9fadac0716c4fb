declare module "virtual:schema/*" {
  import type { Schema } from "./kit/schema.ts";

  const schema: Schema;
  export default schema;
}

import { ApiProblem, type components } from "@gatehouse/api";
import { Checkbox, Radio, Stack, TagsInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { RealmApi } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";

type CreateClient = components["schemas"]["CreateClient"];
type Scope = components["schemas"]["ClientScope"];

export interface NewApi {
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The scopes of the realm that the form has loaded. */
  readonly known: readonly string[];
  readonly access: "listed" | "everyone";
  /** True if clients that the realm does not know may register themselves. */
  readonly strangers: boolean;
}

export const emptyApi: NewApi = { resource: "", scopes: [], known: [], access: "listed", strangers: false };

/** Creates the missing scopes and, if requested, lets unknown clients register. Returns the members of the client. */
export async function prepareApi(api: RealmApi, { resource, scopes, known, access, strangers }: NewApi): Promise<Partial<CreateClient>> {
  for (const name of scopes.filter((one) => !known.includes(one))) {
    try {
      await api.send("POST", "/client-scopes", { body: { name, assignment: "OPTIONAL" } });
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 409)) throw error;
    }
  }
  if (strangers && access === "everyone") {
    const registration = { metadataDocuments: true, requireInitialAccessToken: false };
    await api.send("PATCH", "/provisioning", { body: { registration } });
  }
  return { resourceIndicators: [resource], resourceScopes: [...scopes], resourceAccess: access };
}

interface ApiFieldsProps {
  readonly value: NewApi;
  onChange(value: NewApi): void;
  error(field: string): string | undefined;
}

/** The members of an API besides its name: its address, its scopes, and the clients that it serves. */
export function ApiFields({ value, onChange, error }: ApiFieldsProps) {
  const t = useText();
  const { api, realm, may } = useRealm();
  const found = useQuery({
    queryKey: [realm, "names", "/client-scopes"],
    queryFn: ({ signal }) => api.list<Scope>("/client-scopes", { query: { size: 1000 }, signal }),
  });
  const known = found.data?.items.map(({ name }) => name) ?? [];
  const creates = may("manage-authorization");
  return (
    <>
      <TextInput
        type="url"
        label={t("Address of the API")}
        description={t("Clients request tokens for this address, and the tokens name it as their audience.")}
        placeholder="https://api.example.com/mcp"
        value={value.resource}
        onChange={(event) => onChange({ ...value, known, resource: event.currentTarget.value })}
        error={error("resourceIndicators")}
        required
      />
      <TagsInput
        label={t("Scopes")}
        description={
          creates
            ? t("The scopes of tokens for it. A scope that the realm lacks is created.")
            : t("The scopes of tokens for it, from the realm's scopes.")
        }
        data={known}
        value={[...value.scopes]}
        onChange={(scopes) => onChange({ ...value, known, scopes: creates ? scopes : scopes.filter((one) => known.includes(one)) })}
        error={error("resourceScopes")}
        acceptValueOnBlur
      />
      <Radio.Group
        label={t("Who may ask for tokens")}
        value={value.access}
        onChange={(access) => onChange({ ...value, known, access: access as NewApi["access"] })}
      >
        <Stack gap="xs" pt={6}>
          <Radio value="listed" label={t("Applications that list it among their allowed resources")} />
          <Radio value="everyone" label={t("Every application of the realm: the usual choice for an MCP server")} />
        </Stack>
      </Radio.Group>
      {value.access === "everyone" && may("manage-realm") && (
        <Checkbox
          label={t("Let unknown clients register themselves")}
          description={t("Assistants and editors do so. This changes the realm: clients register without an administrator's token.")}
          checked={value.strangers}
          onChange={(event) => onChange({ ...value, known, strangers: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

import type { components } from "@gatehouse/api";
import { Card, Code, CopyButton, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Failure, Rows } from "../kit/states.tsx";

type Schemas = components["schemas"];
type Provider = Pick<Schemas["IdentityProvider"], "alias" | "protocol" | "config">;
interface Address {
  readonly title: string;
  readonly value: string;
}

const SAML: readonly string[] = ["saml", "eherkenning", "eidas"];
/** Directories are queried and redirect nobody, so they need no addresses. */
const DIRECTORIES: readonly string[] = ["ldap", "ad"];
/** The presets with a logout that begins or ends here. */
const WITH_LOGOUT: readonly string[] = ["oidc", "microsoft", "gitlab"];

/** Returns the addresses of this realm that the provider has to know. */
function addressesOf(issuer: string, { alias, protocol, config }: Provider): readonly Address[] {
  const base = `${issuer}/broker/${alias}`;
  if (SAML.includes(protocol))
    return [
      { title: "Metadata address", value: `${base}/metadata` },
      { title: "Entity ID", value: String(config.spEntityId ?? base) },
      { title: "Assertion consumer service (ACS)", value: String(config.assertionConsumerServiceUrl ?? `${base}/endpoint`) },
      { title: "Single logout address", value: `${base}/slo` },
    ];
  const redirect = { title: "Redirect URI (callback)", value: `${base}/endpoint` };
  if (!WITH_LOGOUT.includes(protocol)) return [redirect];
  return [
    redirect,
    { title: "Post-logout redirect URI", value: `${base}/endpoint/logout_response` },
    { title: "Back-channel logout URI", value: `${base}/backchannel-logout` },
  ];
}

/** Shows the addresses to register at the provider, each with a button that copies it. */
export function ProviderAddresses({ item }: { item: Provider }) {
  const t = useText();
  const { api, realm } = useRealm();
  const endpoints = useQuery({
    queryKey: [realm, "endpoints"],
    queryFn: async () => (await api.get<Schemas["RealmEndpoints"]>("/endpoints")).data,
  });
  if (DIRECTORIES.includes(item.protocol)) return null;
  if (endpoints.isPending) return <Rows count={3} />;
  if (endpoints.isLoadingError) return <Failure error={endpoints.error} retry={() => void endpoints.refetch()} />;
  const addresses = addressesOf(endpoints.data.issuer, item);
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {t("Register this at the provider")}
        </Title>
        <Text size="sm">{t("The provider sends users back to these addresses and refuses unknown ones.")}</Text>
        <Table>
          <Table.Tbody>
            {addresses.map(({ title, value }) => (
              <Table.Tr key={title}>
                <Table.Th>{t(title)}</Table.Th>
                <Table.Td>
                  <Code className="secret">{value}</Code>
                </Table.Td>
                <Table.Td>
                  <CopyButton value={value}>
                    {({ copied, copy }) => (
                      <button type="button" className="link-button" onClick={copy} aria-label={`${t("Copy")}: ${t(title)}`}>
                        {copied ? t("Copied") : t("Copy")}
                      </button>
                    )}
                  </CopyButton>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Card>
  );
}

/** Returns what to show after a provider was created: the addresses, unless it needs none. */
export const addressesToRegister = (made: Provider) => (DIRECTORIES.includes(made.protocol) ? null : <ProviderAddresses item={made} />);

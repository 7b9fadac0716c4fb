import { ApiProblem, type components } from "@gatehouse/api";
import { Alert, Button, Card, Group, Radio, SimpleGrid, Stack, Stepper, TagsInput, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { errorAt } from "../kit/field-error.ts";
import { PageHead } from "../kit/page-head.tsx";
import { Secret } from "../kit/secret.tsx";
import { WriteError } from "../kit/states.tsx";
import { useLeaveGuard } from "../kit/unsaved.tsx";
import { ApiFields, emptyApi, prepareApi } from "./clients.create-api.tsx";
import { Snippets } from "./snippets.tsx";

type Schemas = components["schemas"];
type CreateClient = Schemas["CreateClient"];
type Created = Schemas["CreatedClient"];

interface Kind {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly callback: string | null;
  readonly settings: Partial<CreateClient>;
}

const kinds: readonly Kind[] = [
  {
    id: "web",
    title: "Web application",
    text: "Pages made on a server: Express, Next.js, Spring, Django. It can keep a secret.",
    callback: "https://app.example.com/callback",
    settings: { publicClient: false, grantTypes: ["authorization_code", "refresh_token"] },
  },
  {
    id: "spa",
    title: "Single-page application",
    text: "JavaScript in the browser: React, Vue, Angular. It uses PKCE and no secret.",
    callback: "https://app.example.com/",
    settings: { publicClient: true, grantTypes: ["authorization_code", "refresh_token"], webOrigins: ["+"] },
  },
  {
    id: "native",
    title: "Mobile or desktop application",
    text: "Runs on a user's device and signs in with the system's browser.",
    callback: "com.example.app:/callback",
    settings: { publicClient: true, applicationType: "native", grantTypes: ["authorization_code", "refresh_token"] },
  },
  {
    id: "machine",
    title: "Machine",
    text: "A service, job or script that acts in its own name.",
    callback: null,
    settings: { publicClient: false, grantTypes: ["client_credentials"] },
  },
  {
    id: "api",
    title: "API or MCP server",
    text: "It accepts access tokens and signs nobody in: a REST API, or the tools of an assistant.",
    callback: null,
    settings: { publicClient: false, grantTypes: [] },
  },
  {
    id: "device",
    title: "Device or command line",
    text: "A television, a printer or a tool without a browser. Users approve it on another device.",
    callback: null,
    settings: { publicClient: true, applicationType: "native", grantTypes: ["device", "refresh_token"] },
  },
  {
    id: "saml",
    title: "SAML application",
    text: "A SAML 2.0 service provider, such as an older enterprise application.",
    callback: null,
    settings: {},
  },
];

/** Creates a client by its kind, and then shows what to copy into the application. */
export function CreateClientPage() {
  const t = useText();
  const { api, realm } = useRealm();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [step, setStep] = useState(0);
  const [kind, setKind] = useState<Kind>(kinds[0]!);
  const [clientId, setClientId] = useState("");
  const [name, setName] = useState("");
  const [redirectUris, setRedirectUris] = useState<string[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const [created, setCreated] = useState<Created | null>(null);
  const [ofApi, setOfApi] = useState(emptyApi);
  const stepper = useRef<HTMLDivElement>(null);
  const seen = useRef(step);
  // The button that led here is gone, and the focus with it.
  useEffect(() => {
    const begin = seen.current === step ? null : stepper.current?.querySelector<HTMLElement>("[data-begin]");
    (begin?.querySelector<HTMLElement>("[aria-checked=true], input:not([type=hidden])") ?? begin)?.focus();
    seen.current = step;
  }, [step]);
  useLeaveGuard(
    created === null && (clientId !== "" || name !== "" || redirectUris.length > 0 || ofApi.resource !== "" || ofApi.scopes.length > 0),
  );
  const error = (field: string) => (problem instanceof ApiProblem ? errorAt(problem, field, t) : undefined);

  const bodyOf = (more: Partial<CreateClient>) => ({
    ...kind.settings,
    ...more,
    clientId,
    ...(name && { name }),
    ...(kind.callback && { redirectUris }),
  });
  const create = async () => {
    setSaving(true);
    setProblem(null);
    try {
      const body = bodyOf(kind.id === "api" ? await prepareApi(api, ofApi) : {});
      const { data } = await api.send<Created>("POST", "/clients", { body });
      await client.invalidateQueries({ queryKey: [realm, "list"] });
      setCreated(data);
      setStep(2);
    } catch (reason) {
      setProblem(reason);
    } finally {
      setSaving(false);
    }
  };

  return (
    <Stack maw={860} ref={stepper}>
      <PageHead title="Create application" call={{ method: "POST", path: api.url("/clients"), body: bodyOf({}) }} />
      <Stepper active={step} onStepClick={(next) => created === null && setStep(next)} allowNextStepsSelect={false} size="sm">
        <Stepper.Step label={t("Kind")}>
          <Stack pt="md" data-begin>
            <Radio.Group
              value={kind.id}
              onChange={(id) => setKind(kinds.find((one) => one.id === id)!)}
              aria-label={t("Kind of application")}
            >
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                {kinds.map((one) => (
                  <Radio.Card key={one.id} value={one.id} p="md" radius="md">
                    <Group wrap="nowrap" align="flex-start">
                      <Radio.Indicator />
                      <div>
                        <Text fw={600}>{t(one.title)}</Text>
                        <Text size="sm" c="dimmed">
                          {t(one.text)}
                        </Text>
                      </div>
                    </Group>
                  </Radio.Card>
                ))}
              </SimpleGrid>
            </Radio.Group>
            <Group justify="flex-end">
              <Button onClick={() => (kind.id === "saml" ? void navigate({ to: `/realms/${realm}/saml-clients` as never }) : setStep(1))}>
                {t("Continue")}
              </Button>
            </Group>
          </Stack>
        </Stepper.Step>
        <Stepper.Step label={t("Details")}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void create();
            }}
          >
            <Stack pt="md" data-begin>
              <WriteError error={problem} />
              <TextInput
                label={t("Client ID")}
                description={t("The application's name in requests. It cannot be changed.")}
                value={clientId}
                onChange={(event) => setClientId(event.currentTarget.value)}
                error={error("clientId")}
                required
              />
              <TextInput
                label={t("Name")}
                description={t("What people read on the sign-in page.")}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                error={error("name")}
              />
              {kind.callback && (
                <TagsInput
                  label={t("Redirect URIs")}
                  description={t("The exact addresses to which users return after signing in.")}
                  placeholder={kind.callback}
                  value={redirectUris}
                  onChange={setRedirectUris}
                  error={error("redirectUris")}
                  acceptValueOnBlur
                />
              )}
              {kind.id === "api" && <ApiFields value={ofApi} onChange={setOfApi} error={error} />}
              <Group justify="flex-end">
                <Button variant="default" onClick={() => setStep(0)}>
                  {t("Back")}
                </Button>
                <Button type="submit" loading={saving}>
                  {t("Create application")}
                </Button>
              </Group>
            </Stack>
          </form>
        </Stepper.Step>
        <Stepper.Step label={t("Use it")}>
          {created && (
            <Stack pt="md" data-begin tabIndex={-1}>
              {kind.callback && created.redirectUris.length === 0 && (
                <Alert color="orange" title={t("Nobody can sign in yet")}>
                  {t("Add the address that people return to after signing in: a redirect URI, in the settings of the application.")}
                </Alert>
              )}
              {typeof created.secret === "string" && <Secret title="Client secret" value={created.secret} />}
              <Card withBorder>
                <Snippets client={created} />
              </Card>
              <Group justify="flex-end">
                <Button onClick={() => void navigate({ to: `/realms/${realm}/clients/${created.id}` as never })}>
                  {t("Open the application")}
                </Button>
              </Group>
            </Stack>
          )}
        </Stepper.Step>
      </Stepper>
    </Stack>
  );
}

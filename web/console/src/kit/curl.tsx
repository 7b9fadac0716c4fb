import { ActionIcon, Code, CopyButton, Popover, Stack, Text, Tooltip } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { Icon } from "./icon.tsx";

export interface Call {
  readonly method?: string;
  /** The path from the server's root. */
  readonly path: string;
  readonly body?: unknown;
}

/** Shows the API call behind a screen, to copy. */
export function CopyAsCurl({ method = "GET", path, body }: Call) {
  const t = useText();
  const command = curlOf(method, path, body);
  return (
    <Popover position="bottom-end" width={520} withinPortal>
      <Popover.Target>
        <Tooltip label={t("Show the API call")}>
          <ActionIcon variant="default" size="lg" aria-label={t("Show the API call")}>
            <Icon name="terminal" size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Text size="sm">{t("This screen makes this call. $TOKEN is an access token with the admin audience.")}</Text>
          <Code block tabIndex={0}>
            {command}
          </Code>
          <CopyButton value={command}>
            {({ copied, copy }) => (
              <button type="button" className="link-button" onClick={copy}>
                {copied ? t("Copied") : t("Copy as curl")}
              </button>
            )}
          </CopyButton>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function curlOf(method: string, path: string, body: unknown): string {
  const parts = [`curl${method === "GET" ? "" : ` -X ${method}`} '${location.origin}${path}'`, `-H "Authorization: Bearer $TOKEN"`];
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return parts.join(" \\\n  ");
}

import { type Preset, standard } from "../preset.ts";
import { aws } from "./aws.ts";
import { entra } from "./entra.ts";
import { github } from "./github.ts";
import { google } from "./google.ts";
import { slack } from "./slack.ts";

/** The services that are known by name. */
export const presets = { standard, aws, entra, github, google, slack } as const satisfies Record<string, Preset>;
type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[];

import { brandName, logoOf, palettesOf } from "../../pages/index.ts";
import { type imagesOf, withImages } from "../images/index.ts";
import type { Settings } from "../settings/index.ts";
import { escapeHtml, oneLine } from "./placeholders.ts";

/** The brand in the form of a mail. */
export interface MailBrand {
  /** The logo as HTML, or the name if there is no logo that mail programs show. */
  readonly mark: string;
  /** The values of the brand's placeholders. */
  readonly values: Readonly<Record<string, string>>;
}

/** The brand of messages that consist of text alone. */
export const NO_BRAND: MailBrand = { mark: "", values: {} };

/**
 * Builds the brand for a mail. The mail refers to the logo by its address: an attached logo would be stored and sent with each mail, and many programs list it
 * as an attachment. Mail programs show neither SVG nor data: images. Instead of such a logo the mail shows the name, with the icon if that is a PNG.
 */
export function mailBrand(realmSettings: Settings, images: Awaited<ReturnType<typeof imagesOf>>, baseUrl: string): MailBrand {
  const settings = withImages(realmSettings, images);
  const { light, dark } = palettesOf(settings);
  const name = escapeHtml(oneLine(brandName(settings)));
  const { logo, favicon, "logo-dark": forDark } = settings.images;
  const isOwn = logo !== undefined && settings.logoUrl === logo.href;
  const isPng = (image: { readonly mediaType: string } | undefined) => image?.mediaType === "image/png";
  const address = (href: string) => escapeHtml(new URL(href, baseUrl).href);
  const picture = (href: string, kind: string, style: string) =>
    `<img class="${kind}" src="${address(href)}" alt="${name}" height="40" style="${style};height:40px;width:auto;max-width:220px;border:0">`;
  const named = `<strong style="font-size:17px">${name}</strong>`;
  const mark = () => {
    if (isOwn && isPng(logo)) {
      if (!isPng(forDark)) return picture(logo.href, "logo plate", "display:block");
      return picture(logo.href, "logo light-only", "display:block") + picture(forDark!.href, "logo dark-only", "display:none");
    }
    if (!isOwn && settings.logoUrl !== null && /^https:/.test(logoOf(settings.logoUrl)?.src ?? ""))
      return picture(logoOf(settings.logoUrl)!.src, "logo plate", "display:block");
    return isPng(favicon) ? `${picture(favicon!.href, "logo", "vertical-align:middle")}&#160; ${named}` : named;
  };
  return {
    mark: mark(),
    values: {
      brand: brandName(settings),
      brandColor: light.button,
      brandText: light["button-text"],
      brandDarkColor: dark.button,
      brandDarkText: dark["button-text"],
    },
  };
}

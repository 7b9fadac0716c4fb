import { useEffect, useRef, useState } from "react";

/**
 * Shows a mail as a mail program does. The policy of the console forbids inline styles, even in a frame without an address, so the styles of the mail are
 * removed and set by script. The frame itself runs no scripts, and cannot be operated.
 */
export function MailFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(420);
  useEffect(() => {
    const view = frame.current?.contentWindow as (Window & typeof globalThis) | null | undefined;
    if (!view) return;
    const mail = new DOMParser().parseFromString(html.replaceAll(/\sstyle=/gi, " data-style="), "text/html");
    const sheets = Array.from(mail.querySelectorAll("style"), (style) => {
      const sheet = new view.CSSStyleSheet();
      sheet.replaceSync(style.textContent ?? "");
      style.remove();
      return sheet;
    });
    view.document.documentElement.replaceWith(view.document.adoptNode(mail.documentElement));
    view.document.adoptedStyleSheets = sheets;
    for (const element of view.document.querySelectorAll<HTMLElement>("[data-style]")) element.style.cssText = element.dataset.style ?? "";
    setHeight(view.document.documentElement.scrollHeight);
  }, [html]);
  return <iframe ref={frame} className="mail-frame" inert title={title} sandbox="allow-same-origin" style={{ height }} />;
}

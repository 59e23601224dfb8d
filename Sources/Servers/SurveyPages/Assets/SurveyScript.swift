/// What the pages do at once and without it after a form was sent: conditions, calculated values, sliders,
/// choices that exclude each other.
enum SurveyScript {
    static let text = #"""
        "use strict";
        (() => {
          const form = document.getElementById("survey");
          if (!form) return;
          let request = null;
          let typing = null;

          // Makes the shown elements what the server sent, and leaves what the person entered and where \#
        the focus is.
          function update(old, now) {
            if (old.nodeName !== now.nodeName) { old.replaceWith(document.importNode(now, true)); return; }
            if (old.nodeType !== Node.ELEMENT_NODE) { if (old.nodeValue !== now.nodeValue) old.nodeValue = \#
        now.nodeValue; return; }
            const isField = old.matches("input, select, textarea, details");
            if (isField && old.name === now.name && old.type === now.type) {
              if (old.type === "hidden" && old.name !== "zone") old.value = now.value;
              for (const name of ["id", "aria-describedby", "aria-invalid"]) {
                if (now.hasAttribute(name)) old.setAttribute(name, now.getAttribute(name)); else \#
        old.removeAttribute(name);
              }
              // What the server calculated in a field that nobody touched.
              const attribute = now.getAttribute("value");
              const shown = old.getAttribute("value");
              if (old.matches("input[type=text]") && attribute !== shown && old.value === shown) {
                old.value = attribute; old.setAttribute("value", attribute);
              }
              if (old.matches("select")) {
                const values = list => [...list.options].map(option => option.value + "\n" + \#
        option.text).join("\n");
                if (values(old) !== values(now)) {
                  const chosen = old.value;
                  old.replaceChildren(...[...now.children].map(child => document.importNode(child, true)));
                  old.value = chosen;
                  if (old.selectedIndex < 0) old.value = now.value;
                }
              }
              if (!old.matches("details")) return;
            } else {
              for (const attribute of [...old.attributes]) {
                if (!now.hasAttribute(attribute.name)) old.removeAttribute(attribute.name);
              }
              for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value) \#
        old.setAttribute(name, value);
            }
            const keyed = new Map([...old.children].filter(e => e.dataset.item).map(e => [e.dataset.item, \#
        e]));
            const wanted = new Set([...now.children].filter(e => e.dataset.item).map(e => e.dataset.item));
            for (const [key, element] of keyed) if (!wanted.has(key)) element.remove();
            let position = old.firstChild;
            for (const child of [...now.childNodes]) {
              const key = child.dataset && child.dataset.item;
              if (key && keyed.has(key)) {
                const kept = keyed.get(key);
                if (kept !== position) old.insertBefore(kept, position); else position = position.nextSibling;
                update(kept, child);
              } else {
                // The element that the child is now; others before it, such as a problem that was solved, go.
                const isItem = node => Boolean(node.dataset && node.dataset.item);
                const fits = node => !isItem(node) && node.nodeName === child.nodeName
                  && (node.name || "") === (child.name || "") && (node.id || "") === (child.id || "");
                let match = key ? null : position;
                while (match && !isItem(match) && !fits(match)) match = match.nextSibling;
                if (match && fits(match)) {
                  while (position !== match) { const next = position.nextSibling; position.remove(); \#
        position = next; }
                  position = match.nextSibling;
                  update(match, child);
                } else {
                  old.insertBefore(document.importNode(child, true), position);
                }
              }
            }
            while (position) { const next = position.nextSibling; position.remove(); position = next; }
          }

          // With the name of a question: what was typed in its search field is searched for.
          async function refresh(searched) {
            clearTimeout(typing);
            if (request) request.abort();
            request = new AbortController();
            const data = new FormData(form);
            // Files are sent with the page alone.
            for (const [name, value] of [...data]) if (value instanceof File) data.delete(name);
            data.set("action", "preview");
            if (searched) data.set("find", searched);
            try {
              const response = await fetch(form.getAttribute("action"), { method: "POST", body: data, \#
        signal: request.signal });
              if (!response.ok) return;
              const page = new DOMParser().parseFromString(await response.text(), "text/html");
              const now = page.getElementById("survey");
              if (!now) return;
              for (const part of ["items", "progress"]) {
                const [old, fresh] = [document.getElementById(part), now.querySelector("#" + part)];
                if (old && fresh) update(old, fresh);
              }
              const [bar, value] = [form.querySelector("progress"), now.querySelector("progress")];
              if (bar && value) {
                bar.max = value.max;
                bar.value = value.value;
                bar.setAttribute("aria-label", value.getAttribute("aria-label"));
              }
              prepare();
            } catch (error) {
              // Without a connection the page stays as it is; sending it asks the server again.
              if (error.name !== "AbortError") return;
            }
          }

          function prepare() {
            for (const range of form.querySelectorAll("input[data-slider]")) {
              range.hidden = false;
              const field = document.getElementById(range.dataset.slider);
              if (field && field.value && document.activeElement !== range) range.value = field.value;
            }
          }

          form.addEventListener("input", event => {
            const field = event.target;
            if (field.dataset.search) {
              clearTimeout(typing);
              typing = setTimeout(() => refresh(field.dataset.search), 300);
            }
            if (field.dataset.slider) {
              const number = document.getElementById(field.dataset.slider);
              if (number) number.value = field.value;
            }
            if (field.hasAttribute("data-open") && field.value) {
              const name = field.name.replace(/\.other$/, "");
              for (const other of form.elements) if (other.name === name && other.type === "radio") \#
        other.checked = false;
            }
          });

          // Return and the button search, and the page is not left.
          form.addEventListener("keydown", event => {
            if (event.key !== "Enter" || !event.target.dataset.search) return;
            event.preventDefault();
            refresh(event.target.dataset.search);
          });

          form.addEventListener("click", event => {
            const button = event.target.closest("button");
            if (!button || !button.value.startsWith("find ")) return;
            event.preventDefault();
            refresh(button.value.slice(5));
          });

          form.addEventListener("change", event => {
            const field = event.target;
            if (field.dataset.search) return;
            if (field.type === "radio") {
              for (const other of form.elements) if (other.name === field.name + ".other") other.value = "";
            }
            if (field.type === "checkbox" && field.checked && field.closest(".options")) {
              const isExclusive = field.hasAttribute("data-exclusive");
              for (const other of field.closest(".options").querySelectorAll("input[type=checkbox]")) {
                if (other !== field && (isExclusive || other.hasAttribute("data-exclusive"))) other.checked \#
        = false;
              }
            }
            refresh();
          });

          form.elements.zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
          prepare();
          const summary = document.getElementById("summary");
          if (summary) { summary.tabIndex = -1; summary.focus(); }
        })();
        """#
}

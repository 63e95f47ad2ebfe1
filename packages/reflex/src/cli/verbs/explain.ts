import { CATALOGUE, explainCode } from '../../app/catalogue.ts'
import { faults } from '../../runs/faults.ts'
import type { CatalogueEntry } from '../../kernel/index.ts'
import { suggest } from '../../text/index.ts'
import type { Console } from '../console.ts'
import { plainJson } from '../run-document.ts'
import { EXIT } from '../exit.ts'
import { layoutText, paragraph } from '../layout.ts'
import type { Look } from '../look.ts'

/** `reflex explain CODE`, with our code or a seed's. */
export function explain(console: Console, code: string): number {
  const found = explainCode(code)
  if (found.length === 0) throw unknownCode(code)
  if (console.shape !== 'text') {
    console.document(
      plainJson({ v: 1, entries: found.map(([name, entry]) => ({ code: name, ...entry, severity: entry.severity ?? 'error' })) }),
    )
    return EXIT.done
  }
  found.forEach((entry, i) => console.print([...(i === 0 ? [] : ['']), ...page(entry, console.out)]))
  return EXIT.done
}

function unknownCode(code: string): Error {
  const rules = [...CATALOGUE.values()].flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.split(' ').slice(1)))
  const guess = suggest(code, [...CATALOGUE.keys(), ...rules])
  const message = `the catalogue has no ${JSON.stringify(code)}${guess === undefined ? '' : `; did you mean ${guess}?`}`
  return faults.make('R2033', message, guess === undefined ? {} : { fix: `reflex explain ${guess}` })
}

function page([code, { title, severity, when, rules, means, often, fix }]: [string, CatalogueEntry], look: Look): string[] {
  const fact = (name: string, text: string): string[] => layoutText({ lead: name, painted: look.paint('dim', name), text, column: 8 }, look)
  return [
    ...layoutText(
      { lead: code, painted: look.paint('bold', code), text: title, facts: [`${severity ?? 'error'}, ${when}`], column: code.length + 2 },
      look,
    ),
    ...(rules === undefined ? [] : paragraph(look.text(rules.join(' · ')), look, code.length + 2)),
    ...paragraph(look.text(means), look).map((line) => line.trimStart()),
    ...(often === undefined ? [] : fact('often', often)),
    ...fact('fix', fix),
  ]
}

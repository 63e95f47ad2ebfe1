import { plainJson } from '../../protocol/plain.ts'
import { CATALOGUE, explainCode } from '../../protocol/catalogue.ts'
import { faults } from '../../runs/faults.ts'
import type { CatalogueEntry } from '../../kernel/index.ts'
import { suggest } from '../../text/index.ts'
import { BUILT_IN } from '../../app/kinds.ts'
import type { PartHelp, Parts } from '../../programs/part-help.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { layoutText, paragraph, table } from '../layout.ts'
import type { Look } from '../look.ts'

/** `reflex explain CODE`: explains a code of Reflex, the name of an error, or a part of programs. Throws `R2033`. */
export async function explain(console: Console, code: string): Promise<number> {
  const found = explainCode(code)
  if (found.length === 0) return explainPart(console, code)
  if (console.shape !== 'text') {
    console.document(
      plainJson({ v: 1, entries: found.map(([name, entry]) => ({ code: name, ...entry, severity: entry.severity ?? 'error' })) }),
    )
    return EXIT.done
  }
  found.forEach((entry, i) => console.print([...(i === 0 ? [] : ['']), ...page(entry, console.out)]))
  return EXIT.done
}

/** Explains a part of which programs of a kind are built. Only this loads kinds. */
async function explainPart(console: Console, name: string): Promise<number> {
  const parts = (await Promise.all(BUILT_IN.names.map((kind) => BUILT_IN.load(kind)))).flatMap((body) => body?.parts ?? [])
  const [part] = parts.flatMap((one) => one.find(name) ?? [])
  if (part === undefined) throw unknownCode(name, parts)
  if (console.shape === 'text') console.print(partPage(part, console.out))
  else console.document(plainJson({ v: 1, ...part.document }))
  return EXIT.done
}

function unknownCode(code: string, parts: readonly Parts[]): Error {
  const rules = [...CATALOGUE.values()].flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.split(' ').slice(1)))
  const guess = suggest(code, [...CATALOGUE.keys(), ...rules, ...parts.flatMap((one) => one.names())])
  const message = `there is no error code or operation ${JSON.stringify(code)}${guess === undefined ? '' : `; did you mean ${guess}?`}`
  return faults.make('R2033', message, guess === undefined ? {} : { fix: `reflex explain ${guess}` })
}

function partPage({ name, does, facts, written, attributes }: PartHelp, look: Look): string[] {
  const fact = (lead: string, text: string): string[] => layoutText({ lead, painted: look.paint('dim', lead), text, column: 8 }, look)
  const rows = attributes.map((row): [string, string, string] => [
    look.text([row.name, ...row.aliases].join(', ')),
    look.text(row.isRequired ? `${row.takes}, required` : row.takes),
    look.text(row.usual === '' ? row.does : `${row.does} Otherwise: ${row.usual}.`),
  ])
  return [
    ...layoutText({ lead: name, painted: look.paint('bold', name), text: does, facts, column: name.length + 2 }, look),
    ...fact('write', written.join(' · ')),
    ...(rows.length === 0 ? [] : ['', ...table(['attribute', 'takes', 'what it does'], rows, look)]),
  ]
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

import { plainJson } from '../../protocol/plain.ts'
import { z } from 'zod'
import { configFile } from '../../app/config.ts'
import { CONFIG } from '../../app/config-file.ts'
import { BUILT_IN } from '../../app/kinds.ts'
import { faults } from '../../runs/faults.ts'
import { answersSchema } from '../../people/index.ts'
import { policySchema } from '../../policy/index.ts'
import { didYouMean, quote, suggest } from '../../text/index.ts'
import type { Console } from '../console.ts'
import { jsonText } from '../escape.ts'
import { EXIT } from '../exit.ts'
import { table, tabSeparated, commandHint } from '../layout.ts'
import { outputSchema } from '../output/schema.ts'

interface Published {
  readonly name: string
  readonly about: string
  /** The files that the schema describes. */
  readonly files: string
  readonly schema: () => object | Promise<object>
}

/** The published schemas. */
export const PUBLISHED: readonly Published[] = [
  ...BUILT_IN.modules.flatMap(({ language }) => language.schemas ?? []),
  {
    name: 'skill-case',
    about: 'a unit case of a skill',
    files: '*.case.json',
    schema: async () => (await import('../../learn/ci/case.ts')).caseSchema(),
  },
  { name: 'policy', about: 'the rules that allow and deny capabilities', files: '*.policy.json', schema: () => policySchema },
  { name: 'answers', about: 'answers to questions', files: '*.answers.json', schema: () => answersSchema },
  { name: 'config', about: 'the settings of a folder', files: CONFIG, schema: configSchema },
  { name: 'output', about: 'the output of --json and --jsonl', files: 'standard output', schema: outputSchema },
]

function configSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(configFile(), { target: 'draft-07', io: 'input' })
  return { $schema, $id: 'urn:reflex:config', title: `Reflex settings, ${CONFIG}`, ...rest }
}

/**
 * `reflex schema [NAME]`: prints a JSON Schema, the same for every output shape; without a name, lists the schemas.
 * Throws `R2037`.
 */
export async function schema(console: Console, name: string | undefined): Promise<number> {
  if (name === undefined) list(console)
  else console.world.out.write(`${jsonText(await findSchema(name).schema(), console.shape === 'jsonl' ? undefined : 2)}\n`)
  return EXIT.done
}

function findSchema(name: string): Published {
  const found = PUBLISHED.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = PUBLISHED.map((one) => one.name)
  const guess = suggest(name, names)
  const hint = didYouMean(guess)
  throw faults.make('R2037', `there is no schema ${quote(name)}${hint === undefined ? '' : `; ${hint}`}`, {
    fix: guess === undefined ? `name one of ${names.join(', ')}` : `reflex schema ${guess}`,
  })
}

function list(console: Console): void {
  const { out } = console
  const rows = PUBLISHED.map(({ name, about, files }) => [name, about, files])
  if (console.shape !== 'text')
    return console.document(plainJson({ v: 1, schemas: PUBLISHED.map(({ name, about, files }) => ({ name, about, files })) }))
  if (!out.terminal) return console.world.out.write(tabSeparated(rows))
  console.print([
    ...table(['schema', 'of', 'files'], rows, out),
    commandHint(out, 'print', console.command('schema', PUBLISHED[0]?.name ?? 'config')),
  ])
}

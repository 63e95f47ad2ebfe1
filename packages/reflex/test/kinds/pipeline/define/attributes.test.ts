import { expect, test } from 'vitest'
import type { AttributeRow } from '../../../../src/kinds/pipeline/model/attribute-row.ts'
import { attributeTable } from '../../../../src/kinds/pipeline/model/attributes.ts'

const INTERFACES: readonly (readonly [on: AttributeRow['on'], head: string, does: string])[] = [
  ['graph', 'GraphAttributes<Id extends string>', 'Attributes of the pipeline itself.'],
  ['node', 'NodeAttributes<Id extends string>', 'Attributes of nodes, of whatever type.'],
  ['edge', 'EdgeAttributes', 'Attributes of edges.'],
]

const TYPES: Readonly<Record<Exclude<AttributeRow['type'], 'words'>, string>> = {
  text: 'string',
  int: 'number',
  number: 'number',
  bool: 'boolean',
  duration: 'DurationValue',
  seconds: 'number',
  csv: 'ListValue',
  json: 'JsonValue',
  node: 'Id',
  key: 'string',
  keys: 'ListValue',
  path: 'string',
}

/** One that stands for all names that begin so takes any value: open as they are, the types say so of every custom name. */
const written = attributeTable().filter(({ name }) => !name.endsWith('.*'))

function source(): string {
  return [
    "import type { DurationValue, JsonValue, ListValue } from './define-values.ts'",
    '',
    '// Made from the tables of model/attributes*.ts by test/kinds/pipeline/define/attributes.test.ts: run it with -u when a table changes.',
    ...INTERFACES.flatMap(([on, head, does]) => {
      const rows = Map.groupBy(
        written.filter((row) => row.on === on),
        ({ name }) => name,
      )
      const lines = [...rows].flatMap(([name, same]) => property(name, same))
      return ['', `/** ${does} */`, `export interface ${head} {`, ...lines, '}']
    }),
    '',
  ].join('\n')
}

function property(name: string, rows: readonly AttributeRow[]): string[] {
  const types = new Set([...rows.flatMap(typesOf), 'undefined'])
  // Any text is one of the words of another operation, too.
  const type = [...types].filter((one) => !types.has('string') || !one.startsWith("'")).join(' | ')
  const does = [...new Set(rows.map((row) => row.does))].join(' ')
  const usual = [...new Set(rows.map((row) => row.usual))].filter((text) => text !== '').join(', ')
  const aliases = new Set(rows.flatMap((row) => row.aliases))
  return [
    ...field(`${does}${usual === '' ? '' : ` Otherwise: ${usual}.`}`, name, type),
    ...[...aliases].flatMap((alias) => field(`The same as \`${name}\`.`, alias, type)),
  ]
}

function field(does: string, name: string, type: string): string[] {
  const key = /^\w+$/.test(name) ? name : `'${name}'`
  const line = `  readonly ${key}?: ${type}`
  if (line.length <= 140) return [`  /** ${does} */`, line]
  return [`  /** ${does} */`, `  readonly ${key}?:`, ...type.split(' | ').map((one) => `    | ${one}`)]
}

function typesOf({ type, words }: AttributeRow): string[] {
  return type === 'words' ? words.map((word) => `'${word}'`) : [TYPES[type]]
}

test('the types of attributes say what the tables say', async () => {
  await expect(source()).toMatchFileSnapshot('../../../../src/kinds/pipeline/face/define-attributes.ts')
})

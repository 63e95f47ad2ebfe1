import type { AttributeRow } from '../packages/reflex/src/kinds/pipeline/model/attribute-row.ts'
import type { OperationFacts } from '../packages/reflex/src/kinds/pipeline/model/operation-facts.ts'
import { BUILT_IN_OPERATIONS } from '../packages/reflex/src/kinds/pipeline/operations/built-in.ts'

type Row = AttributeRow

const PLACES: readonly (readonly [on: Row['on'], title: string])[] = [
  ['graph', 'The graph'],
  ['node', 'Nodes'],
  ['edge', 'Edges'],
]

/** Every operation and every attribute of a pipeline that Reflex reads: where it stands, what it takes, what holds without it. */
export function attributesPage(): string {
  const { rows, operations } = BUILT_IN_OPERATIONS
  return [
    '# Attributes of pipelines',
    '',
    'What [a pipeline](pipeline.md) may say, and what holds where it says nothing. A name that ends in `.*` stands for all that begin so.',
    'Attributes of Graphviz itself (`rankdir`, `color`, …) are kept and mean nothing here; any other name is told by `reflex validate`.',
    '',
    '## Operations',
    '',
    'What nodes do. `reflex explain` shows one with its attributes; `defineOperation` adds one, as [an operation of your own](../extending/operation.md) tells.',
    '',
    '| operation | type names | after a crash | what it does |',
    '| --- | --- | --- | --- |',
    ...operations.map(operationLine),
    '',
    ...PLACES.flatMap(([on, title]) => [
      `## ${title}`,
      '',
      ...table(rows.filter((row) => row.on === on && row.operations === undefined)),
      ...byOperation(rows.filter((row) => row.on === on && row.operations !== undefined)),
    ]),
  ].join('\n')
}

function operationLine({ name, does, types = [name], dispatch = [], repeat }: OperationFacts): string {
  const words = dispatch.flatMap(({ type, by = {} }) => [
    [`type=${type}`, ...Object.entries(by).map(([key, word]) => `${key}=${word}`)].join(' '),
  ])
  const names = [...types.map((type) => `type=${type}`), ...words].map((one) => `\`${one}\``).join(', ')
  return `| \`${name}\` | ${names} | ${repeat.replaceAll('_', ' ')} | ${escaped(does)} |`
}

function table(rows: readonly Row[]): string[] {
  if (rows.length === 0) return []
  return ['| attribute | takes | otherwise | what it does |', '| --- | --- | --- | --- |', ...rows.map(line), '']
}

function byOperation(rows: readonly Row[]): string[] {
  const groups = Map.groupBy(rows, ({ operations = [] }) => operations.join(', '))
  return [...groups].flatMap(([operations, own]) => [`### \`${operations.replaceAll(', ', '`, `')}\``, '', ...table(own)])
}

function line({ name, aliases, type, words, usual, does }: Row): string {
  const names = [name, ...aliases].map((one) => `\`${one}\``).join(', ')
  const takes = type === 'words' ? words.map((word) => `\`${word}\``).join(' ') : type
  return `| ${names} | ${escaped(takes)} | ${usual === '' ? '' : `\`${escaped(usual)}\``} | ${escaped(does)} |`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { formatDot } from '../../packages/reflex/src/kinds/pipeline/dot/format.ts'
import type { DotGraph } from '../../packages/reflex/src/kinds/pipeline/dot/graph.ts'
import { parseDot } from '../../packages/reflex/src/kinds/pipeline/dot/parse.ts'
import { compileExpression, type FormattedText, formatJson, readJson } from '../../packages/reflex/src/text/index.ts'
import type { Door } from './door.ts'
import { protocolSubject } from './protocol.ts'
import { graphSubjects } from './graphs.ts'
import { CONDITIONS, EXPRESSIONS, PIPELINES, STYLESHEETS, WORKFLOWS } from './seeds.ts'
import { skillSubjects } from './skills.ts'
import type { Subject } from './subject.ts'
import { treeSubjects } from './trees.ts'

/** How a format of files is read and written. */
interface FileFormat {
  readonly name: string
  readonly file: string
  readonly endings: readonly string[]
  readonly seeds: readonly string[]
  readonly format: (text: string) => FormattedText
  /** What a text says, as data in which no place stands. */
  readonly meaning: (text: string) => unknown
}

const ROOT = resolve(import.meta.dirname, '../..')

const FILES: readonly FileFormat[] = [
  {
    name: 'workflow',
    file: 'program.workflow.json',
    endings: ['.workflow.json', '.workflow.jsonc'],
    seeds: WORKFLOWS,
    format: formatJson,
    meaning: (text) => readJson(text).value,
  },
  {
    name: 'pipeline',
    file: 'program.dot',
    endings: ['.dot', '.gv'],
    seeds: PIPELINES,
    format: formatDot,
    meaning: (text) => withoutPlaces(parseDot(text).graph),
  },
]

/** Every subject; a further format is one more entry above. */
export function subjects(): readonly Subject[] {
  const written = globSync(['cases/**/*', 'examples/**/*'], { cwd: ROOT }).toSorted()
  return [
    ...FILES.map((format) => fileSubject(format, written)),
    { name: 'expression', seeds: EXPRESSIONS, try: tryExpression },
    inside('condition', CONDITIONS, (text) => `digraph g { start [shape=Mdiamond] end [shape=Msquare] start -> end [condition=${text}] }`),
    inside('stylesheet', STYLESHEETS, (text) => `digraph g { graph [model_stylesheet=${text}] start [shape=Mdiamond] start -> end }`),
    ...treeSubjects(),
    protocolSubject,
    ...graphSubjects(),
    ...skillSubjects(),
  ]
}

function fileSubject(format: FileFormat, written: readonly string[]): Subject {
  const own = written.filter((path) => format.endings.some((ending) => basename(path).endsWith(ending)))
  return {
    name: format.name,
    seeds: [...format.seeds, ...own.map((path) => readFileSync(resolve(ROOT, path), 'utf8'))],
    try: (text, door) => tryFile(format, text, door),
  }
}

/** A language that stands in the texts of pipelines, each read through the pipeline around it. */
function inside(name: string, seeds: readonly string[], around: (quoted: string) => string): Subject {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
  return { name, seeds, try: async (text, door) => void (await door.read('program.dot', around(quoted(text)))) }
}

async function tryFile({ file, format, meaning }: FileFormat, text: string, door: Door): Promise<void> {
  await door.read(file, text)
  const { text: formatted, findings } = format(text)
  door.judge(findings, text)
  if (formatted === undefined) return
  if (format(formatted).text !== formatted) throw new Error('what was formatted is formatted otherwise the second time')
  if (JSON.stringify(meaning(formatted)) !== JSON.stringify(meaning(text))) throw new Error('what was formatted says something else')
}

const BOARD = new Map<string, unknown>([
  ['order', { total: 84, state: 'lost', items: [1, 2.5, 'x', null] }],
  ['name', 'Ada'],
  ['n', 7],
  ['ok', true],
  ['when', '2026-01-01T00:00:00Z'],
])

async function tryExpression(text: string, door: Door): Promise<void> {
  const { expression, findings } = compileExpression(text, { allVariables: 'board' })
  door.judge(findings, text)
  JSON.stringify(expression?.evaluate(BOARD))
}

/** A graph without what says where it stands. */
function withoutPlaces(graph: DotGraph | undefined): unknown {
  return JSON.parse(
    JSON.stringify(graph, (key, value: unknown) => {
      if (value instanceof Map) return [...(value as Map<string, unknown>)]
      return key === 'at' || key === 'keyAt' || key === 'valueAt' ? undefined : value
    }) ?? 'null',
  )
}

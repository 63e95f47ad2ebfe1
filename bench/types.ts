import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Line, median } from './measure.ts'

/** What the compiler did for one file. */
interface Checked {
  readonly instantiations: number
  /** Milliseconds of checking, without reading and binding. */
  readonly ms: number
}

const root = join(import.meta.dirname, '..')
const ROUNDS = 5

/**
 * What typing costs, as an application has it, from declarations: a `workflow({...})` of so many nodes, against the same
 * data as a `Workflow` and a file that is nearly empty.
 */
export function typing(line: Line): void {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-types-'))
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    compile(folder, ['-p', join(root, 'packages/reflex/tsconfig.build.json'), '--emitDeclarationOnly', '--noCheck', '--outDir', 'reflex'])
    const floor = check(folder, 'floor', IMPORTS)
    line('types of a file with one node, checked in', `${floor.ms.toFixed(0)} ms`, `${floor.instantiations} instantiations`)
    for (const nodes of [50, 200, 500]) {
      const typed = check(folder, `typed-${nodes}`, literal(nodes, 'typed'))
      const plain = check(folder, `plain-${nodes}`, literal(nodes, 'plain'))
      const aim = nodes === 200 ? '; aim under 1,000' : ''
      line(`types of ${nodes} nodes`, `${typed.ms.toFixed(0)} ms`, `the same as a Workflow takes ${plain.ms.toFixed(0)} ms${aim}`)
      line('  instantiations', String(typed.instantiations), `as a Workflow ${plain.instantiations}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const IMPORTS = `import { workflow, type Workflow } from './reflex/kinds/workflow/index.js'
import { z } from 'zod'
const child = workflow({ id: 'child', entry: 'only', board: { verdict: z.string() }, nodes: { only: {} }, edges: [] })
export const callee: Workflow = child
`

/** Each node writes one of twenty keys; every tenth calls; each has two ways on, one of them guarded. */
function literal(count: number, kind: 'typed' | 'plain'): string {
  const id = (i: number): string => `node${Math.min(i, count - 1)}`
  const nodes = Array.from({ length: count }, (_, i) => {
    const own = kind === 'plain' ? `id: '${id(i)}', ` : ''
    const call = kind === 'plain' ? `workflowId: 'child'` : 'workflow: child'
    if (i % 10 === 9)
      return `${id(i)}: { ${own}spec: {}, invokes: { ${call}, returnMap: [{ parentKey: 'key${i % 20}', childKey: 'verdict' }] } },`
    return `${id(i)}: { ${own}spec: { tool: 'tool.${i}', writes: 'key${i % 20}' }, outputs: [{ key: 'key${i % 20}', guaranteed: true }] },`
  })
  const edges = Array.from({ length: count - 1 }, (_, i) => {
    const [first, second] = kind === 'plain' ? [`id: 'a${i}', event: 'NEXT', `, `id: 'b${i}', `] : ['', '']
    const guard = `guard: { type: 'exists', key: 'key${i % 20}' }`
    return `{ ${first}from: '${id(i)}', to: '${id(i + 1)}' }, { ${second}from: '${id(i)}', to: '${id(i + 2)}', event: 'SKIP', ${guard} },`
  })
  const board = Array.from({ length: 20 }, (_, i) => `key${i}: z.object({ id: z.string(), total: z.number() }),`)
  const body = `{ id: 'big', entry: 'node0', board: { ${board.join(' ')} },\nnodes: {\n${nodes.join('\n')}\n},\nedges: [\n${edges.join('\n')}\n] }`
  return `${IMPORTS}export const big${kind === 'plain' ? `: Workflow = ${body}` : ` = workflow(${body})`}\n`
}

function check(folder: string, name: string, text: string): Checked {
  writeFileSync(join(folder, `${name}.ts`), text)
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext', '--types', 'node']
  const runs = Array.from({ length: ROUNDS }, (): Checked => {
    const told = compile(folder, [...options, '--extendedDiagnostics', `${name}.ts`])
    return { instantiations: figure(told, 'Instantiations'), ms: figure(told, 'Check time') * 1000 }
  })
  return { instantiations: runs[0]?.instantiations ?? Number.NaN, ms: median(runs.map(({ ms }) => ms)) }
}

function compile(cwd: string, options: readonly string[]): string {
  const { stdout, status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options], {
    cwd,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout)
  return stdout
}

function figure(text: string, name: string): number {
  return Number.parseFloat(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(text)?.[1] ?? '')
}

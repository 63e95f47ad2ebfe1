import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { typeFaults } from '../../../compiler.ts'
import { folderOf } from './programs.ts'

const root = resolve(import.meta.dirname, '../../../../../..')

/** Mistakes, each on the line under its name, in a program as an application would write it. */
const PROGRAM = `import { Reflex } from 'reflex-runtime'
import { type DefinedPipeline, type NodeDefinition, pipeline, run, serializeGraph, validate } from 'reflex-runtime/pipeline'
import { scripted } from 'reflex-runtime/testing'

const reviewer = { timeout: '5m', max_retries: 1 } satisfies NodeDefinition
const shared: NodeDefinition = { ...reviewer, prompt: 'Look.' }
export const review = pipeline({
  id: 'review', goal: 'Review a change', max_cost: 2, reviewers: 3, own: { any: 'thing' }, retry_target: 'style',
  nodes: {
    start: {}, fan: { shape: 'component', join_policy: 'quorum', join_target: 'join' },
    style: { ...reviewer, prompt: 'How does $diff read?', output_schema: { type: 'object', required: ['blocking'] }, mine: 7, 'param.x': true },
    tests: { ...shared, tools: ['file.read'], model: Math.random() > 2 ? 'small' : undefined },
    join: { shape: 'tripleoctagon' }, merge: { shape: 'hexagon', 'human.timeout_seconds': 0.5 }, done: { shape: 'Msquare' },
  },
  edges: [['start', 'fan'], ['fan', 'style', 'join'], ['fan', 'tests', 'join', 'merge'], { from: 'merge', to: 'done', label: '[M] Merge', weight: 2, by: 'hand' }],
})
export const any: DefinedPipeline = review
export const status: string = (await new Reflex().run(review, { input: { diff: 'x' } })).status
export const ended: string = (await run(review)).status
export const text: string = serializeGraph(review) + validate(review).length
export const played = scripted(review, { answers: { merge: 'Merge' } })
const names: readonly string[] = ['a', 'b']
export const made = pipeline({ nodes: Object.fromEntries(names.map((name) => [name, {}])), edges: [names] })

const nodes = { fan: {}, style: {}, merge: {} }
// an edge to no node
pipeline({ nodes, edges: [['fan', 'stlye']] })
// an edge from no node
pipeline({ nodes, edges: [['fan', 'style'], ['fann', 'style']] })
// a chain through no node
pipeline({ nodes, edges: [['fan', 'style', 'mereg']] })
// an object to no node
pipeline({ nodes, edges: [['fan', 'style'], { from: 'fan', to: 'mereg', label: 'x' }] })
// an object from no node
pipeline({ nodes, edges: [{ from: 'stile', to: 'merge' }] })
// an edge without an end
pipeline({ nodes, edges: [{ from: 'fan' }] })
// the weight of an edge
pipeline({ nodes, edges: [{ from: 'fan', to: 'merge', weight: 'much' }] })
// the condition of an edge
pipeline({ nodes, edges: [{ from: 'fan', to: 'merge', condition: true }] })
// a word of an attribute
pipeline({ nodes: { fan: { join_policy: 'quorm' } }, edges: [] })
// a word that chooses an operation
pipeline({ nodes: { fan: { target: 'shel' } }, edges: [] })
// a node that an attribute names
pipeline({ nodes: { fan: { join_target: 'stlye' }, style: {} }, edges: [] })
// a node that the graph names
pipeline({ retry_target: 'stlye', nodes: { fan: {}, style: {} }, edges: [] })
// a duration
pipeline({ nodes: { fan: { timeout: '5 minutes' } }, edges: [] })
// a text
pipeline({ nodes: { fan: { prompt: 5 } }, edges: [] })
// a number
pipeline({ nodes: { fan: { max_retries: 'two' } }, edges: [] })
// a text of the graph
pipeline({ goal: 5, nodes: { fan: {} }, edges: [] })
// a custom attribute
pipeline({ nodes: { fan: { mine: () => 5 } }, edges: [] })
// a node that is read
review.nodes.get('stlye')
`

const EXPECTED: Readonly<Record<string, string>> = {
  'an edge to no node': `Type '"stlye"' is not assignable to type '"fan" | "merge" | "style"'. Did you mean '"style"'?`,
  'an edge from no node': `Type '"fann"' is not assignable to type '"fan" | "merge" | "style"'. Did you mean '"fan"'?`,
  'a chain through no node': `Type '"mereg"' is not assignable to type '"fan" | "merge" | "style"'. Did you mean '"merge"'?`,
  'an object to no node': `Type '"mereg"' is not assignable to type '"fan" | "merge" | "style"'. Did you mean '"merge"'?`,
  'an object from no node': `Type '"stile"' is not assignable to type '"fan" | "merge" | "style"'. Did you mean '"style"'?`,
  'an edge without an end': `is not assignable to type`,
  'the weight of an edge': `Type 'string' is not assignable to type 'number'.`,
  'the condition of an edge': `Type 'boolean' is not assignable to type 'string'.`,
  'a word of an attribute': `Did you mean '"quorum"'?`,
  'a word that chooses an operation': `Did you mean '"shell"'?`,
  'a node that an attribute names': `Type '"stlye"' is not assignable to type '"fan" | "style" | undefined'. Did you mean '"style"'?`,
  'a node that the graph names': `Type '"stlye"' is not assignable to type '"fan" | "style" | undefined'. Did you mean '"style"'?`,
  'a duration': `Type '"5 minutes"' is not assignable to type 'DurationValue | undefined'.`,
  'a text': `Type 'number' is not assignable to type 'string'.`,
  'a number': `Type 'string' is not assignable to type 'number'.`,
  'a text of the graph': `Type 'number' is not assignable to type 'string'.`,
  'a custom attribute': `Type '() => number' is not assignable to type 'AttributeInput'.`,
  'a node that is read': `Argument of type '"stlye"' is not assignable to parameter of type`,
}

describe('what the compiler says of pipelines', () => {
  test('is nothing of one that is right and of that of the page, and each mistake', () => {
    const page = readFileSync(join(root, 'docs/kinds/pipeline.md'), 'utf8')
    const [, block = ''] = /## In TypeScript[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? []
    const folder = folderOf({ 'program.ts': PROGRAM, 'page.ts': block, 'package.json': '{"type":"module"}' })
    const said = new Map(typeFaults(folder, ['program.ts', 'page.ts']).map(({ place, text }) => [place, text]))
    const lines = PROGRAM.split('\n')
    const found = Object.keys(EXPECTED).map((name): [string, string] => [name, `program.ts:${lines.indexOf(`// ${name}`) + 2}`])
    for (const [name, place] of found) expect(said.get(place), name).toContain(EXPECTED[name])
    const places = new Set(found.map(([, place]) => place))
    expect([...said].filter(([place]) => !places.has(place))).toEqual([])
    const { stdout } = spawnSync(process.execPath, ['page.ts'], { cwd: folder, encoding: 'utf8' })
    const promised = Array.from(block.matchAll(/^console\.log.*\/\/ (.*)$/gm), ([, text]) => text)
    expect(stdout.trim().split('\n')).toEqual(promised)
  })
})

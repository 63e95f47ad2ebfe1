import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { RunOptions } from '../../src/index.ts'
import { isFault } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from './folders.ts'

const WORKFLOW = { id: 'plain', entry: 'a', nodes: { a: { id: 'a', spec: {} } }, edges: [] }
const CALLS = { ...WORKFLOW, id: 'calls', nodes: { a: { id: 'a', spec: {}, invokes: { workflowId: 'pipeline:walk', returnMap: [] } } } }
const walk = (body: string): string => `digraph walk { start [shape=Mdiamond] done [shape=Msquare] ${body} }`

let reflex: Reflex

beforeEach(() => {
  const cwd = newFolder()
  const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text)
  write('plain.workflow.json', JSON.stringify(WORKFLOW))
  write('calls.workflow.json', JSON.stringify(CALLS))
  write('walk.dot', walk('start -> done'))
  write('asks.dot', walk('call [type="graph.invoke", program="workflow:plain"] start -> call -> done').replace('walk', 'asks'))
  const surroundings = { host: virtualHost(), worker: { id: 'u', host: 'test', pid: 1 }, cwd, environment: {}, actor: 'ana' }
  reflex = new Reflex({ workdir: cwd, store: memoryStore(), surroundings })
  onTestFinished(() => reflex.close())
})

const refusal = async (file: string, options: RunOptions): Promise<string | undefined> => {
  try {
    await reflex.run(file, options)
    return undefined
  } catch (thrown) {
    if (isFault(thrown)) return `${thrown.code} ${thrown.message}`
    throw thrown
  }
}

test.each<[string, RunOptions, string]>([
  ['plain.workflow.json', { pipeline: { logs: 'here' } }, 'R2031 --logs has no effect on workflow:plain'],
  ['plain.workflow.json', { pipeline: { hmacSecretFile: 'secret' } }, 'R2031 --hmac-secret-file has no effect'],
  ['plain.workflow.json', { pipeline: { maxSteps: 5 } }, 'R2031 --max-steps has no effect'],
  ['plain.workflow.json', { pipeline: { branchSteps: 5 } }, 'R2031 --branch-steps has no effect'],
  ['plain.workflow.json', { pipeline: { onUnroutedFailure: 'lenient' } }, 'R2031 --on-unrouted-failure has no effect'],
  ['plain.workflow.json', { pipeline: { deadEnd: 'fail' } }, 'R2031 --dead-end has no effect'],
  ['plain.workflow.json', { pipeline: { persistArtifacts: true } }, 'R2031 --persist-artifacts has no effect'],
  ['plain.workflow.json', { pipeline: { validate: false } }, 'R2031 --no-validate has no effect'],
  ['walk.dot', { pipeline: { force: true } }, 'R2031 --force has no effect on pipeline:walk: it does not resume from a checkpoint'],
  ['walk.dot', { agent: { default: 'person' } }, 'R2031 --agent has no effect on pipeline:walk'],
  ['plain.workflow.json', { agent: { perNode: { b: 'person' } } }, 'R2031 an agent is named for "b"; there is no such node'],
  ['plain.workflow.json', { agent: { perNode: { 'plan/a': 'rules' } } }, 'did you mean "plain/a"?'],
])('%s with %j is refused, since nothing in it would hear that', async (file, options, words) => {
  expect(await refusal(file, options)).toContain(words)
  expect(await reflex.runs()).toEqual([])
})

test.each<[string, RunOptions]>([
  ['calls.workflow.json', { pipeline: { maxSteps: 5 } }],
  ['calls.workflow.json', { pipeline: { branchSteps: 5, onUnroutedFailure: 'lenient', deadEnd: 'fail' } }],
  ['asks.dot', { agent: { default: 'rules', perNode: { a: 'rules', 'plain/a': 'rules' } } }],
  ['plain.workflow.json', { agent: { default: 'rules' } }],
])('%s with %j is taken: it, or what it calls, hears that', async (file, options) => {
  expect(await refusal(file, options)).toBeUndefined()
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from '../app/folders.ts'
import { noSandbox } from '../tools/workshop.ts'

/** The contracts that every kind has: permissions with terms, and one meter. */

const READ = 'arbor://fs/read/{work}/in.txt'

/** A workflow that reads a file twice. */
const reads = {
  id: 'reads',
  entry: 'first',
  nodes: {
    first: { id: 'first', spec: { agent: 'tool', tool: 'file.read', args: { path: 'in.txt' } } },
    second: { id: 'second', spec: { agent: 'tool', tool: 'file.read', args: { path: 'in.txt' } } },
  },
  edges: [{ id: 'e', from: 'first', to: 'second', event: 'ok' }],
}

function reflexIn(workdir: string, more: object): Reflex {
  writeFileSync(join(workdir, 'in.txt'), 'hello')
  const reflex = new Reflex({
    workdir,
    store: memoryStore(),
    surroundings: { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
    ...more,
  })
  onTestFinished(() => reflex.close())
  return reflex
}

test('a workflow asks before it uses a permission that its operator wants to be asked about', async () => {
  const reflex = reflexIn(newFolder(), { policy: [{ allow: [], deny: [], ask: [READ], file: 'p' }] })
  const run = await reflex.run(reads)
  expect(run.questions.map(({ asker, path }) => [asker, path])).toEqual([['permission', 'first']])
})

test('a permission that counts its uses ends with them in a workflow, too', async () => {
  const policy = [{ allow: [], deny: [], bounded: [{ capability: READ, maxUses: 1 }], file: 'p' }]
  const reflex = reflexIn(newFolder(), { policy, trust: 'untrusted' })
  const run = await reflex.run(reads)
  expect({ status: run.status, at: run.run.state.root.position }).toEqual({ status: 'suspended', at: 'second' })
})

test('the token budget that a pipeline states stops a workflow that it calls', async () => {
  const workdir = newFolder()
  const spec = { prompt: 'Well?', writes: 'said' }
  const asks = {
    id: 'asks',
    entry: 'a',
    nodes: { a: { id: 'a', spec }, b: { id: 'b', spec } },
    edges: [{ id: 'e', from: 'a', to: 'b', event: 'NEXT' }],
  }
  writeFileSync(join(workdir, 'asks.workflow.json'), JSON.stringify(asks))
  writeFileSync(
    join(workdir, 'p.dot'),
    `digraph p { graph [goal="g", max_total_tokens=10]; start [shape=Mdiamond]; done [shape=Msquare];
      one [type="graph.invoke", program="workflow:asks"]; start -> one -> done }`,
  )
  let asked = 0
  const test = scriptedModel(() => ({ text: `answer ${++asked}`, usage: { input: 10, output: 10 } }), 'test')
  await reflexIn(workdir, { models: { test }, model: 'test' }).run(join(workdir, 'p.dot'))
  expect(asked).toBe(1)
})

test('the restrictions of a policy hold after a resume that does not name it', async () => {
  const workdir = newFolder()
  const store = memoryStore()
  const begun = reflexIn(workdir, { store, policy: [{ allow: [], deny: [], ask: [READ], file: 'p' }] })
  const { id } = await begun.run(reads)
  await begun.runtime.close()
  const later = reflexIn(workdir, { store })
  const run = await later.resume(id)
  await run.answer(await later.question(`${id}/q1`), 'allow')
  await run.idle()
  expect(run.questions.map(({ asker, path }) => [asker, path])).toEqual([['permission', 'second']])
})

test.each([
  ['a denial', { deny: [READ] }, 'p, under which the run began, denies'],
  ['a number of uses', { bounded: [{ capability: READ, maxUses: 1 }] }, 'name it with --policy'],
])('%s of a policy holds after a resume that does not name it, and a fork can lift it', async (_, rules, message) => {
  const workdir = newFolder()
  const store = memoryStore()
  const asks = { ...reads, id: 'asks', entry: 'ask', nodes: { ask: { id: 'ask', spec: { ask: 'Go on?' } }, ...reads.nodes } }
  const program = { ...asks, edges: [{ id: 'a', from: 'ask', to: 'first', event: 'ok' }, ...reads.edges] }
  const begun = reflexIn(workdir, { store, policy: [{ allow: [], deny: [], ...rules, file: 'p' }] })
  const { id } = await begun.run(program)
  await begun.runtime.close()
  const later = reflexIn(workdir, { store })
  const run = await later.resume(id)
  const asked = run.run.state.n
  await run.answer(await later.question(`${id}/q1`), 'ok')
  await run.idle()
  expect(run.questions.map(({ asker, path }) => [asker, path])).toEqual([['retry', 'first']])
  expect(JSON.stringify(run.questions)).toContain(message)
  await later.fork(`${id}@${asked}`, { id: 'fork-1a2b' })
  const fork = await later.resume('fork-1a2b')
  await fork.answer(await later.question('fork-1a2b/q1'), 'ok')
  await fork.idle()
  expect(fork.status).toBe('completed')
})

const sandboxed = (await noSandbox()) === undefined

test.skipIf(!sandboxed).each([
  ['no file that the policy of its start closes', ['arbor://fs/read/{work}/key.txt'], ''],
  ['every other file', [], 'a private text'],
])('a command of a resumed run sees %s (needs bubblewrap)', async (_, deny, said) => {
  const workdir = newFolder()
  const store = memoryStore()
  writeFileSync(join(workdir, 'key.txt'), 'a private text')
  const text = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare]; ask [shape=hexagon, label="Go on?"];
    look [type=shell, command="cat key.txt; true", output_key=said]; start -> ask; ask -> look [label="Yes"]; ask -> done [label="No"]; look -> done }`
  writeFileSync(join(workdir, 'p.dot'), text)
  const begun = reflexIn(workdir, { store, policy: [{ allow: [], deny, file: 'p' }] })
  const { id } = await begun.run(join(workdir, 'p.dot'))
  await begun.runtime.close()
  const later = reflexIn(workdir, { store })
  const run = await later.resume(id)
  await run.answer(await later.question(`${id}/q1`), 'Yes')
  await run.idle()
  expect({ status: run.status, said: run.run.state.root.reader().get('said') }).toEqual({ status: 'completed', said })
})

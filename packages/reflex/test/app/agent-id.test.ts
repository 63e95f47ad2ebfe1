import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { thisProcess } from '../../src/app/host.ts'
import { Reflex, type ReflexOptions } from '../../src/index.ts'
import { run } from '../../src/kinds/pipeline/index.ts'
import { readPolicy } from '../../src/policy/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { newFolder } from './folders.ts'

/** A run acts on behalf of one agent: its memory is that agent's, and so are the rules of the policy that name one. */

const pipeline = (nodes: string, path: string): string =>
  `digraph p { start [shape=Mdiamond] done [shape=Msquare] ${nodes} start -> ${path} -> done }`
const LEARNS = pipeline(
  'k [type=transform, transform=constant, expression="the harbour opens at nine", output_key=text] i [type="memory.index", source_key=text]',
  'k -> i',
)
const RECALLS = pipeline(
  'k [type=transform, transform=constant, expression="harbour", output_key=query] r [type="memory.recall", source_key=query]',
  'k -> r',
)
const WRITES = pipeline(
  'k [type=transform, transform=constant, expression=x, output_key=k] f [type="file.write", content_key=k, output="x.txt"]',
  'k -> f',
)

function world(options: ReflexOptions = {}): Reflex {
  const workdir = newFolder()
  for (const [name, text] of Object.entries({ 'learns.dot': LEARNS, 'recalls.dot': RECALLS, 'writes.dot': WRITES }))
    writeFileSync(join(workdir, name), text)
  const reflex = new Reflex({ workdir, store: join(workdir, 'reflex.db'), trust: 'trusted', ...options })
  onTestFinished(() => reflex.close())
  return reflex
}

// proves: pipeline s5.2b
test('memory belongs to the agent of the run, and to orchestrator where none is named', async () => {
  const reflex = world()
  const recalled = async (agentId?: string): Promise<unknown> => {
    const handle = await reflex.run(join(reflex.workdir, 'recalls.dot'), agentId === undefined ? {} : { agentId })
    return handle.run.state.root.reader().get('memory.recall_count')
  }
  await reflex.run(join(reflex.workdir, 'learns.dot'), { agentId: 'pilot' })
  expect([await recalled('pilot'), await recalled('cook'), await recalled()]).toEqual([1, 0, 0])
  await reflex.run(join(reflex.workdir, 'learns.dot'))
  expect([await recalled('orchestrator'), await recalled()]).toEqual([1, 1])
})

// proves: pipeline s5.2b
test('rules of a policy for one agent count for its runs, and those for agent_system where none is named', async () => {
  const rules = (agent: string): NonNullable<ReflexOptions['policy']> => [
    readPolicy(JSON.stringify({ agent, deny: ['arbor://fs/write/**'] }), `${agent}.json`),
  ]
  const status = async (agent: string, options: Parameters<Reflex['run']>[1]): Promise<string> => {
    const reflex = world({ policy: rules(agent) })
    return (await reflex.run(join(reflex.workdir, 'writes.dot'), options)).status
  }
  expect(await status('pilot', { agentId: 'pilot' })).toBe('failed')
  expect(await status('pilot', { agentId: 'cook' })).toBe('completed')
  expect(await status('pilot', {})).toBe('completed')
  expect(await status('agent_system', {})).toBe('failed')
  expect(await status('agent_system', { agentId: 'cook' })).toBe('completed')
  // The context names whose memory is meant, and gives no rights.
  expect(await status('pilot', { agentId: 'pilot', input: { 'session.agent_id': 'cook' } })).toBe('failed')
})

test('a resume and a fork act for the same agent, if the journal can prove it', async () => {
  const reflex = world()
  const { id } = await reflex.run(join(reflex.workdir, 'recalls.dot'), { agentId: 'pilot' })
  await reflex.close()
  const kept = async (surroundings: ReflexOptions['surroundings']): Promise<unknown> => {
    const again = new Reflex({
      workdir: reflex.workdir,
      store: join(reflex.workdir, 'reflex.db'),
      ...(surroundings === undefined ? {} : { surroundings }),
    })
    const fork = await again.fork(`${id}@2`)
    const handle = await again.resume(fork.id)
    await handle.idle()
    const { agentId } = handle.run.settings
    await again.close()
    return agentId
  }
  const mine = { ...thisProcess(), seal: (text: string) => `sealed ${text}` }
  expect(await kept({ ...thisProcess(), seal: () => undefined })).toBeUndefined()
  const sealed = new Reflex({ workdir: reflex.workdir, store: join(reflex.workdir, 'reflex.db'), surroundings: mine })
  const { id: second } = await sealed.run(join(reflex.workdir, 'recalls.dot'), { agentId: 'pilot' })
  const fork = await sealed.fork(`${second}@2`)
  expect((await sealed.resume(fork.id)).run.settings.agentId).toBe('pilot')
  await sealed.close()
})

test('run() has the same option', async () => {
  const store = memoryStore()
  const options = { logs_root: false, trust: 'trusted', store } as const
  await run(LEARNS, { ...options, agent_id: 'pilot' })
  const count = async (agent_id?: string): Promise<unknown> => (await run(RECALLS, { ...options, agent_id })).context['memory.recall_count']
  expect([await count('pilot'), await count('cook')]).toEqual([1, 0])
})

test('an agent of the context whose name is half a character has a memory of its own', async () => {
  const reflex = world()
  await reflex.run(join(reflex.workdir, 'learns.dot'), { agentId: 'pilot' })
  const handle = await reflex.run(join(reflex.workdir, 'recalls.dot'), { input: { 'session.agent_id': '\ud800' } })
  expect([handle.status, handle.run.state.root.reader().get('memory.recall_count')]).toEqual(['completed', 0])
})

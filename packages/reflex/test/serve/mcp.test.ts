import { spawn, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { schemaIssues } from '../../src/text/json-schema/check.ts'
import { serveMcpStdio } from '../../src/serve/index.ts'
import { defineTool, type Tool } from '../../src/tools/index.ts'
import { newFolder } from '../app/folders.ts'
import { decodeSkill } from '../../src/kinds/skill/manifest/read-skill.ts'
import { projectRegistry } from '../../src/learn/snapshot/project-registry.ts'
import { note, PASSED } from '../learn/registry/world.ts'

const BIN = join(import.meta.dirname, '../../bin/reflex.js')
const ASKS =
  'digraph ask { goal="Release it"; start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }'
const TOTAL = {
  id: 'total',
  entry: 'add',
  board: { order: { type: 'string' }, total: { type: 'number' } },
  metadata: { description: 'Adds up an order.' },
  nodes: {
    add: {
      id: 'add',
      spec: { writes: { total: 84 } },
      inputs: [{ key: 'order', required: true, inherited: true, description: 'Its number' }],
      outputs: [{ key: 'total', guaranteed: true }],
    },
  },
  edges: [],
}
const WORKS = {
  id: 'works',
  entry: 'read',
  nodes: {
    read: { id: 'read', spec: { writes: { batch: 3 } } },
    work: { id: 'work', spec: { tool: 'pour', args: {}, writes: 'poured' } },
  },
  edges: [{ id: 'e1', from: 'read', to: 'work', event: 'NEXT' }],
}

/** A folder with the programs of these tests. */
function folderOfPrograms(): string {
  const folder = newFolder()
  writeFileSync(join(folder, 'ask.dot'), ASKS)
  writeFileSync(join(folder, 'total.workflow.json'), JSON.stringify(TOTAL))
  writeFileSync(join(folder, 'works.workflow.json'), JSON.stringify(WORKS))
  return folder
}

interface Connected {
  readonly client: Client
  readonly reflex: Reflex
  /** Everything that the server has written. */
  readonly written: () => string
  readonly hangUp: () => void
}

interface ConnectOptions {
  readonly mode?: 'legacy' | 'auto'
  readonly elicitation?: boolean
  readonly reflex?: Reflex
  readonly name?: string
  readonly tool?: Tool
}

function reflexOf(tool?: Tool): Reflex {
  const reflex = new Reflex({
    store: 'memory:',
    workdir: folderOfPrograms(),
    actor: 'ana',
    trust: 'trusted',
    ...(tool === undefined ? {} : { tools: [tool] }),
  })
  onTestFinished(() => reflex.close())
  return reflex
}

/** Connects a client to a server over two streams in this process. */
async function connected({ mode = 'legacy', elicitation = false, reflex, name = 'desk', tool }: ConnectOptions = {}): Promise<Connected> {
  const house = reflex ?? reflexOf(tool)
  const [up, down] = [new PassThrough(), new PassThrough()]
  let written = ''
  down.on('data', (part) => (written += String(part)))
  const connection = await serveMcpStdio(house, { version: '0.0.0', input: up, output: down })
  const client = new Client(
    { name, version: '1' },
    { capabilities: elicitation ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
  )
  await client.connect(new StdioServerTransport(down, up))
  onTestFinished(() => connection.close())
  return { client, reflex: house, written: () => written, hangUp: () => void up.end() }
}

/** A tool that ends when its call is cancelled, and tells when it has begun. */
function pouring(): { readonly tool: Tool; readonly begun: Promise<void>; readonly finish: () => void } {
  const begun = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const tool = defineTool({
    name: 'pour',
    description: 'Pours.',
    leaves: false,
    repeat: 'free',
    async run(_, { signal }) {
      begun.resolve()
      const cancelled = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      await Promise.race([done.promise, cancelled])
      return 'poured'
    },
  })
  return { tool, begun: begun.promise, finish: () => done.resolve() }
}

type Result = Awaited<ReturnType<Client['callTool']>>
const documentOf = (result: Result): Record<string, unknown> => result.structuredContent as Record<string, unknown>

describe.each(['legacy', 'auto'] as const)('programs as tools for a client that speaks the protocol %s', (mode) => {
  test('are listed with their inputs and outputs, and return what they declare', async () => {
    const { client } = await connected({ mode })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(['answer', 'pipeline_ask', 'status', 'trace', 'workflow_total', 'workflow_works'])
    const total = tools.find(({ name }) => name === 'workflow_total')
    expect(total).toMatchObject({
      description: 'Adds up an order.',
      inputSchema: { properties: { order: { type: 'string', description: 'Its number' } }, required: ['order'] },
      outputSchema: { properties: { value: { properties: { total: { type: 'number' } } } } },
    })
    const result = await client.callTool({ name: 'workflow_total', arguments: { order: 'A-1' } })
    expect(documentOf(result)).toMatchObject({ status: 'completed', value: { total: 84 } })
    expect(schemaIssues(JSON.parse(JSON.stringify(total?.outputSchema)) as object as never, documentOf(result) as never)).toEqual([])
  })

  test('an approved skill is a tool as soon as it is active, and no longer than it is', async () => {
    const read = defineTool({ name: 'notes.read', description: 'Reads.', leaves: false, repeat: 'free', run: async () => 'a note' })
    const house = reflexOf(read)
    const { client } = await connected({ mode, reflex: house })
    const names = async () => (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('skill'))
    expect(await names()).toEqual([])
    const { registry } = projectRegistry(house, { version: '1.0.0' })
    const { skill } = decodeSkill(note('1.0.0'), { tools: [{ name: 'notes.read', sideEffects: 'none', idempotent: true }] })
    if (skill === undefined) throw new Error('the skill is valid')
    await registry.put(skill.manifest, skill.hash, 'file')
    await registry.tested(await registry.find('app.note'), PASSED)
    expect(await names()).toEqual([])
    await registry.activate(await registry.find('app.note'))
    const [name = ''] = await names()
    expect(name).toMatch(/^skill_app_note_/)
    const { tools } = await client.listTools()
    expect(tools.find((tool) => tool.name === name)).toMatchObject({
      description: 'Reads a note.',
      inputSchema: { type: 'object', additionalProperties: false },
      outputSchema: { properties: { value: { properties: { text: { type: 'string' } } } } },
    })
    expect(documentOf(await client.callTool({ name, arguments: {} }))).toMatchObject({ status: 'completed', value: { text: 'a note' } })
    await registry.retire(await registry.find('app.note'), 'deprecated', 'a test')
    expect(await names()).toEqual([])
  })

  test('ask the user of the client, again if the answer is refused', async () => {
    const { client, reflex } = await connected({ mode, elicitation: true })
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { answer: asked.length === 1 ? 'perhaps' : 'yes' } }
    })
    const result = await client.callTool({ name: 'pipeline_ask' })
    expect(documentOf(result)).toMatchObject({ status: 'completed' })
    expect(asked).toEqual([expect.stringContaining('Release?'), expect.stringMatching(/perhaps[\s\S]*Release\?/)])
    const [row] = await reflex.runs()
    const { lines } = await reflex.trace(row?.id ?? '')
    expect(lines.some(({ event }) => JSON.stringify(event).includes('mcp:desk'))).toBe(true)
  })

  test('return an open question to a client whose user declines', async () => {
    const { client } = await connected({ mode, elicitation: true })
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }))
    expect(documentOf(await client.callTool({ name: 'pipeline_ask' }))).toMatchObject({
      status: 'suspended',
      questions: [{ text: 'Release?' }],
    })
  })

  test('return a question that the tool answer answers', async () => {
    const { client } = await connected({ mode })
    const first = documentOf(await client.callTool({ name: 'pipeline_ask' }))
    expect(first).toMatchObject({ status: 'suspended', next: expect.stringContaining('tool answer') as unknown })
    const wrong = await client.callTool({ name: 'answer', arguments: { run: first.run, value: 'perhaps' } })
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('R4200') as unknown }] })
    const yes = { run: first.run, question: 'q1', value: 'yes', reason: 'the tests pass' }
    const last = documentOf(await client.callTool({ name: 'answer', arguments: yes }))
    expect(last).toMatchObject({ run: first.run, status: 'completed' })
    expect(documentOf(await client.callTool({ name: 'status', arguments: { run: first.run } }))).toEqual(last)
    const trace = documentOf(await client.callTool({ name: 'trace', arguments: { run: first.run } }))
    expect(trace).toMatchObject({ run: { id: first.run }, by: 'mcp:desk' })
    expect(JSON.stringify(trace)).toContain('"reason":"the tests pass"')
    const uri = `reflex://runs/${String(first.run)}`
    expect((await client.listResources()).resources).toMatchObject([{ uri }])
    const { contents } = await client.readResource({ uri: `${uri}/trace` })
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(trace)
  })

  test('send progress, and end when the call is cancelled', async () => {
    const { tool, begun } = pouring()
    const { client, reflex } = await connected({ mode, tool })
    const stop = new AbortController()
    const progress: number[] = []
    const call = client.callTool({ name: 'workflow_works' }, { signal: stop.signal, onprogress: (one) => void progress.push(one.progress) })
    const refused = expect(call).rejects.toThrow()
    await begun
    while (progress.length === 0) await pause(5)
    stop.abort('enough')
    await refused
    while ((await reflex.runs())[0]?.status === 'running') await pause(5)
    expect(await reflex.runs()).toMatchObject([{ status: 'cancelled' }])
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
  })

  test('are called wrongly with typed errors', async () => {
    const { client, written } = await connected({ mode })
    await expect(client.callTool({ name: 'workflow_totl' })).rejects.toMatchObject({
      message: expect.stringContaining('did you mean workflow_total?') as unknown,
    })
    for (const [name, input, code] of [
      ['workflow_total', { order: 7 }, 'R6024'],
      ['workflow_total', {}, 'R6024'],
      ['status', { run: 'nobody' }, 'R2016'],
      ['status', { runs: 'nobody' }, 'R6024'],
    ] as const)
      expect(await client.callTool({ name, arguments: input })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(code) as unknown }],
      })
    await expect(client.readResource({ uri: 'reflex://runs/../secrets' })).rejects.toThrow(/no resource/)
    for (const line of written().trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  })

  test('continue when the client has gone in the middle of a call', async () => {
    const { tool, begun, finish } = pouring()
    const { client, reflex, hangUp } = await connected({ mode, tool })
    const call = client.callTool({ name: 'workflow_works' })
    call.catch(() => undefined)
    await begun
    hangUp()
    finish()
    while ((await reflex.runs())[0]?.status === 'running') await pause(5)
    expect(await reflex.runs()).toMatchObject([{ status: 'completed' }])
  })
})

describe('a client over MCP', () => {
  test('neither sees nor answers runs that it did not start', async () => {
    const reflex = reflexOf()
    const own = await reflex.run(join(reflex.workdir, 'ask.dot'), { id: 'otter' })
    expect(own.status).toBe('suspended')
    const { client } = await connected({ reflex })
    expect(await client.callTool({ name: 'answer', arguments: { run: 'otter', value: 'yes' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('R6022') as unknown }],
    })
    expect((await client.listResources()).resources).toEqual([])
    expect(own.status).toBe('suspended')
  })

  test('does not answer questions of Reflex itself', async () => {
    const reflex = reflexOf()
    writeFileSync(
      join(reflex.workdir, 'spend.workflow.json'),
      JSON.stringify({
        id: 'spend',
        entry: 'pay',
        nodes: { pay: { id: 'pay', spec: { tool: 'command', args: { argv: ['true'] }, writes: 'paid' } } },
        edges: [],
      }),
    )
    const asks = new Reflex({
      store: 'memory:',
      workdir: reflex.workdir,
      policy: [{ file: 'the operator', allow: [], deny: [], ask: ['arbor://tool/command'] }],
      trust: 'trusted',
    })
    onTestFinished(() => asks.close())
    const { client } = await connected({ reflex: asks, elicitation: true })
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'allow' } }))
    const { run, status, next } = documentOf(await client.callTool({ name: 'workflow_spend' }))
    expect({ status, next }).toMatchObject({ status: 'suspended', next: expect.stringContaining('the operator answers') as unknown })
    expect(await client.callTool({ name: 'answer', arguments: { run, value: 'allow' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('R6023') as unknown }],
    })
  })

  test('sees the contract of a tree as its inputs and outputs', async () => {
    const reflex = reflexOf()
    writeFileSync(
      join(reflex.workdir, 'double.tree.json'),
      JSON.stringify({
        format: 1,
        id: 'double',
        description: 'Doubles.',
        board: { n: { type: 'int' }, out: { type: 'int' } },
        contract: { inputs: { n: 'int' }, outputs: { out: 'int' } },
        root: { type: 'set', id: 'set', params: { key: 'out', value: 4 } },
      }),
    )
    const { client } = await connected({ reflex })
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'tree_double')).toMatchObject({
      description: 'Doubles.',
      inputSchema: { properties: { n: { type: 'integer' } }, required: ['n'] },
      outputSchema: { properties: { value: { properties: { out: { type: 'integer' } } } } },
    })
    expect(documentOf(await client.callTool({ name: 'tree_double', arguments: { n: 2 } }))).toMatchObject({ status: 'completed' })
  })

  test('gives inputs that count as text from outside', async () => {
    const reflex = reflexOf()
    writeFileSync(
      join(reflex.workdir, 'copy.dot'),
      'digraph copy { start [shape=Mdiamond]; a [type=transform, source_key="given", output_key="kept"]; exit [shape=Msquare]; start -> a -> exit }',
    )
    const { client } = await connected({ reflex })
    const { run } = documentOf(await client.callTool({ name: 'pipeline_copy', arguments: { given: 'x' } }))
    const { state } = await reflex.runtime.peek(String(run))
    for (const key of ['given', 'kept']) expect(state.root.reader().get(`#t/${key}`)).toEqual([2, 0, 0, 0, 'input'])
  })

  test('has what a workflow writes for it counted as written from outside', async () => {
    const reflex = reflexOf()
    const { workdir } = reflex
    const made = { ...TOTAL, id: 'made', metadata: { description: 'A program that a run wrote.' } }
    const writes = {
      id: 'writes',
      entry: 'put',
      nodes: {
        put: {
          id: 'put',
          spec: { tool: 'file.write', args: { path: 'made.workflow.json', in: 'work', text: JSON.stringify(made) }, writes: 'done' },
        },
      },
      edges: [],
    }
    writeFileSync(join(workdir, 'writes.workflow.json'), JSON.stringify(writes))
    const { client } = await connected({ reflex })
    const { run, status } = documentOf(await client.callTool({ name: 'workflow_writes' }))
    expect(status).toBe('completed')
    expect((await reflex.library.load(join(workdir, 'made.workflow.json'))).written).toMatchObject({ run })
  })

  test('leaves its run to other processes when it has gone', { timeout: 60_000 }, async () => {
    const folder = folderOfPrograms()
    writeFileSync(
      join(folder, 'works.workflow.json'),
      JSON.stringify({
        ...WORKS,
        nodes: {
          ...WORKS.nodes,
          work: {
            id: 'work',
            spec: {
              tool: 'command',
              args: { argv: ['sh', '-c', 'echo x >> begun.txt; until [ -e stop ]; do sleep 0.05; done'] },
              writes: 'poured',
            },
          },
        },
      }),
    )
    const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', REFLEX_TRUST: 'trusted' }
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', '--grace', '0s'],
      cwd: folder,
      env: environment,
      stderr: 'ignore',
    })
    const client = new Client({ name: 'desk', version: '1' })
    await client.connect(transport)
    const call = client.callTool({ name: 'workflow_works' })
    call.catch(() => undefined)
    while (!existsSync(join(folder, 'begun.txt'))) await pause(10)
    await client.close()
    writeFileSync(join(folder, 'stop'), '')
    const reflex = new Reflex({ workdir: folder, store: join(folder, '.reflex/reflex.db') })
    onTestFinished(() => reflex.close())
    const [row] = await reflex.runs()
    expect(['running', 'suspended', 'completed']).toContain(row?.status)
    expect(row?.last).toBeGreaterThan(0)
  })
})

describe('the command reflex mcp', () => {
  test('writes nothing but the protocol to standard output, and ends with its client', { timeout: 60_000 }, async () => {
    const folder = folderOfPrograms()
    writeFileSync(join(folder, 'broken.workflow.json'), '{')
    const child = spawn(process.execPath, [BIN, 'mcp'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    const answered = new Promise<void>((resolve) => {
      child.stdout.on('data', (part) => {
        out += String(part)
        if (out.includes('"id":3')) resolve()
      })
    })
    const requests = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
      },
      { method: 'notifications/initialized' },
      'not JSON',
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'workflow_total', arguments: { order: 'A-1' } } },
    ]
    for (const request of requests)
      child.stdin.write(`${typeof request === 'string' ? request : JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
    await answered
    child.stdin.end()
    expect(await ended).toBe(0)
    for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(out).toContain('\\"total\\":84')
  })

  test('says what to install when the package for MCP is missing', () => {
    const hooks = `import { registerHooks } from 'node:module'
      registerHooks({ resolve: (name, context, next) => next(name.startsWith('@modelcontextprotocol/') ? 'mcp-is-not-here' : name, context) })`
    const loader = `data:text/javascript,${encodeURIComponent(hooks)}`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', loader, BIN, 'mcp'], { cwd: newFolder(), encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('R6020')
    expect(stderr).toContain('npm install @modelcontextprotocol/server')
  })
})

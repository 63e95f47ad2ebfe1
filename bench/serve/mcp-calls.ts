import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { alternate, type Contestant, type Line, timed } from '../measure.ts'
import { INPUT } from './programs.ts'
import type { ServerProcess } from './server-process.ts'

const CALLS = 20
const ROUNDS = 5
const COMMAND = fileURLToPath(new URL('../../packages/reflex/bin/reflex.js', import.meta.url))

/** Calls of a program as a tool, one after the other, beside the same program without a protocol. */
export async function mcpCalls(line: Line, own: ServerProcess, folder: string): Promise<void> {
  const clients: Client[] = []
  const contestants: Contestant[] = [{ name: 'in process', round: () => own.order<number>({ do: 'call', calls: CALLS }) }]
  for (const mode of ['auto', 'legacy'] as const) {
    for (const [name, transport] of [
      [
        'stdio',
        new StdioClientTransport({
          command: process.execPath,
          args: [COMMAND, 'mcp', '--store', `${folder}/mcp-${mode}.db`],
          cwd: folder,
        }),
      ],
      [
        'HTTP',
        new StreamableHTTPClientTransport(new URL(`${own.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${own.token}` } },
        }),
      ],
    ] as const) {
      const client = new Client({ name: 'bench', version: '1' }, { capabilities: {}, versionNegotiation: { mode } })
      await client.connect(transport)
      clients.push(client)
      contestants.push({
        name: `${name}, ${mode === 'auto' ? 'the newest protocol' : 'the one before'}`,
        round: () => timed(() => calls(client)),
      })
    }
  }
  try {
    const [floor, ...all] = await alternate(contestants, CALLS, ROUNDS)
    if (floor === undefined) return
    line('a program in process', `${(floor.ns / 1e6).toFixed(2)} ms`, '')
    for (const { name, ns } of all)
      line(`  tools/call over ${name}`, `${(ns / 1e6).toFixed(2)} ms`, `${((ns - floor.ns) / 1e6).toFixed(2)} ms more than in process`)
  } finally {
    for (const client of clients) await client.close()
  }
}

async function calls(client: Client): Promise<void> {
  for (let i = 0; i < CALLS; i++) {
    const { isError, content } = await client.callTool({ name: 'workflow_total', arguments: INPUT })
    if (isError === true) throw new Error(JSON.stringify(content))
  }
}

// A server of the protocol of 2026-07-28: its tool asks two questions at once, and keeps its state in the answer.
import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const ask = (message: string): object => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } },
})

interface Given {
  readonly inputResponses?: Readonly<Record<string, unknown>>
  requestState(): unknown
}

// oxlint-disable-next-line typescript/no-deprecated -- its handlers state the messages of the protocol
function serverOf(): Server {
  // oxlint-disable-next-line typescript/no-deprecated -- its handlers state the messages of the protocol
  const server = new Server({ name: 'modern', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'order', inputSchema: { type: 'object' as const } }] }))
  server.setRequestHandler('tools/call', (_, { mcpReq }) => {
    const given = mcpReq as unknown as Given
    appendFileSync(process.argv[2] ?? '/dev/null', `call ${JSON.stringify(given.requestState() ?? null)}\n`)
    if (given.inputResponses === undefined)
      return {
        resultType: 'input_required',
        inputRequests: { size: ask('Which size?'), colour: ask('Which colour?') },
        requestState: 'step-1',
      } as never
    const { size, colour } = given.inputResponses
    return { content: [{ type: 'text', text: `${JSON.stringify(size)} ${JSON.stringify(colour)}` }] }
  })
  return server
}

serveStdio(serverOf)

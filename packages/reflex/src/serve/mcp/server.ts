import type { Reflex } from '../../app/reflex.ts'
import type { JsonObject } from '../../kernel/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { traceDocument, showDocument } from '../../protocol/view-document.ts'
import { suggest } from '../../text/index.ts'
import { argumentsOf, callProgram, checkArguments, failedCall } from './call.ts'
import { ClientRuns, faultOf } from './client-runs.ts'
import { type Connection, OWN_TOOLS } from './own-tools.ts'
import { mayUse, type TokenHolder } from '../principals.ts'
import type { Scope } from '../../programs/route.ts'
import { type ProgramTool, programTools, toolNamed } from './program-tools.ts'
import type { McpCapabilities, McpClientInfo, McpContext, McpLibrary, McpServer } from './library.ts'

/** The most rounds of questions in one call, and the milliseconds for which a question waits for the client's user. */
const ROUNDS = { maxRounds: 1000, roundTimeoutMs: 86_400_000 }
const INVALID_PARAMS = -32_602

const INSTRUCTIONS =
  'Each tool named KIND_NAME starts a run of a program and returns its result. A run that needs a decision is suspended: answer its question with the tool answer. The tools status and trace show a run.'

/** Returns a server for one connection, or one request. `holder`: the token of the client, if it has one; its name is the actor. */
export function mcpServer(library: McpLibrary, reflex: Reflex, version: string, holder?: TokenHolder): McpServer {
  const server = new library.Server(
    { name: 'reflex', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS, inputRequired: ROUNDS },
  )
  const connectionOf = (context: McpContext): Connection => {
    const { envelope = {} } = context.mcpReq
    const info = (envelope['io.modelcontextprotocol/clientInfo'] as McpClientInfo | undefined) ?? server.getClientVersion()
    const can = (envelope['io.modelcontextprotocol/clientCapabilities'] as McpCapabilities | undefined) ?? server.getClientCapabilities()
    return { reflex, runs: new ClientRuns(reflex, holder ?? info?.name), context, canElicit: hasForms(can) }
  }
  addTools(server, reflex, { connectionOf, holder })
  addResources(server, (context) => {
    checkScope(holder, 'read', 'resources')
    return connectionOf(context)
  })
  return server
}

type ConnectionOf = (context: McpContext) => Connection

function addTools(
  server: McpServer,
  reflex: Reflex,
  { connectionOf, holder }: { readonly connectionOf: ConnectionOf; readonly holder: TokenHolder | undefined },
): void {
  server.setRequestHandler('tools/list', async () => ({ tools: listOf(await programTools(reflex)) }))
  server.setRequestHandler('tools/call', async ({ params = {} }, context) => {
    const name = wordOf(params.name)
    const own = Object.hasOwn(OWN_TOOLS, name) ? OWN_TOOLS[name] : undefined
    const tool = own === undefined ? await toolNamed(reflex, name) : undefined
    if (own === undefined && tool === undefined) throw unknownTool(name, [...(await programTools(reflex)).keys()])
    try {
      checkScope(holder, own === undefined ? 'start' : own.scope, name)
      const input = argumentsOf(params.arguments)
      const connection = connectionOf(context)
      if (tool !== undefined) return await callProgram({ ...connection, tool }, input)
      if (own === undefined) throw unknownTool(name, [])
      checkArguments(own.input, input, name)
      return await own.call(input, connection)
    } catch (thrown) {
      return failedCall(thrown)
    }
  })
}

function addResources(server: McpServer, connectionOf: ConnectionOf): void {
  server.setRequestHandler('resources/list', async (_, context) => ({
    resources: (await connectionOf(context).runs.list()).map(({ id, program }) => ({
      uri: `reflex://runs/${id}`,
      name: id,
      description: `A run of ${program[0]}`,
      mimeType: 'application/json',
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'reflex://runs/{run}', name: 'run', description: 'The state of a run', mimeType: 'application/json' },
      { uriTemplate: 'reflex://runs/{run}/trace', name: 'trace', description: 'The story of a run', mimeType: 'application/json' },
    ],
  }))
  server.setRequestHandler('resources/read', async ({ params = {} }, context) => {
    const uri = wordOf(params.uri)
    try {
      const text = JSON.stringify(await resourceOf(uri, connectionOf(context)))
      return { contents: [{ uri, mimeType: 'application/json', text }] }
    } catch (thrown) {
      throw requestError(thrown)
    }
  })
}

/** Throws `R6002` if the token of the client does not allow a request. A client without a token has started this process. */
function checkScope(holder: TokenHolder | undefined, scope: Scope, what: string): void {
  if (holder === undefined || mayUse(holder, scope)) return
  throw serveFaults.make('R6002', `the token ${holder.name} may not ${scope}, which ${what} needs`)
}

async function resourceOf(uri: string, { reflex, runs }: Connection): Promise<JsonObject> {
  const [, ref, isTrace] = /^reflex:\/\/runs\/([^/?#]+)(\/trace)?$/.exec(uri) ?? []
  if (ref === undefined)
    throw serveFaults.make('R6021', `there is no resource ${uri}`, { fix: 'read reflex://runs/RUN or reflex://runs/RUN/trace' })
  const { id } = await runs.find(ref)
  return isTrace === undefined ? showDocument(await reflex.show(id), false) : traceDocument(await reflex.trace(id), false)
}

function listOf(programs: ReadonlyMap<string, ProgramTool>): object[] {
  const own = Object.entries(OWN_TOOLS).map(([name, { about, input, output, isReadOnly }]) => ({
    name,
    description: about,
    inputSchema: input,
    ...(output === undefined ? {} : { outputSchema: output }),
    annotations: { readOnlyHint: isReadOnly },
  }))
  const all = [...programs.values()].map(({ name, about, input, output }) => ({
    name,
    description: about,
    inputSchema: input,
    outputSchema: output,
  }))
  return [...all, ...own]
}

function unknownTool(name: string, known: readonly string[]): Error {
  const guess = suggest(name, [...known, ...Object.keys(OWN_TOOLS)])
  return requestError(
    serveFaults.make('R6021', `there is no tool ${JSON.stringify(name)}${guess === undefined ? '' : `; did you mean ${guess}?`}`),
  )
}

/** Returns an error that the protocol reports with the fault as its data. */
function requestError(thrown: unknown): Error {
  const fault = faultOf(thrown)
  return Object.assign(new Error(fault.message), { code: INVALID_PARAMS, data: fault })
}

/** True if the client can show forms: an empty declaration means forms, as in the first protocol that had them. */
function hasForms(capabilities: McpCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0)
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

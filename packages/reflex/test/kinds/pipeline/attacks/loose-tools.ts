import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject, type Json, type JsonObject } from '../../../../src/kernel/index.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { createTools, defineTool, type Tool, Tools, type ToolsSettings } from '../../../../src/tools/index.ts'

/** Tools as somebody writes them who has not thought of attacks: what they do is right, and nothing is looked at. */

/** The built-in tools with some of them replaced. */
export function withLoose(settings: ToolsSettings, ...loose: readonly Tool[]): Tools {
  const tools = createTools(settings)
  const names = new Set(loose.map(({ name }) => name))
  return new Tools([...tools.names().flatMap((name) => (names.has(name) ? [] : [tools.get(name)])), ...loose])
}

/** Reads where the words of a path lead, through every link. */
export const looseRead = defineTool({
  name: 'file.read',
  description: 'reads',
  leaves: false,
  repeat: 'free',
  run: (args: JsonObject, { workdir }) => ({ text: readFileSync(resolve(workdir, renderText(args['path'])), 'utf8') }),
})

/** Writes where the words of a path lead, through every link. */
export const looseWrite = defineTool({
  name: 'file.write',
  description: 'writes',
  leaves: true,
  repeat: 'ask',
  run(args: JsonObject, { workdir }) {
    const path = resolve(workdir, renderText(args['path']))
    writeFileSync(path, renderText(args['text']))
    return { path }
  },
})

/** Runs the text of a command with all variables that it is given and all that it says. */
export const looseShell = defineTool({
  name: 'shell',
  description: 'runs',
  leaves: true,
  repeat: 'ask',
  run: (args: JsonObject, { workdir }) => runs(renderText(args['command']), workdir, variablesIn(args['environment'])),
})

function variablesIn(environment: Json | undefined): Record<string, string> {
  const given = isObject(environment) ? Object.entries(environment) : []
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(given.map(([name, value]) => [name, renderText(value)])) }
}

function runs(command: string, cwd: string, env: Record<string, string>): Promise<JsonObject> {
  return new Promise((done) => {
    // A bash whose input is a socket takes itself for one that somebody has called from afar.
    execFile('/bin/sh', ['-c', `exec </dev/null; ${command}`], { cwd, env, maxBuffer: 1e9 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : 1, stdout, stderr })
    })
  })
}

/** Sends a request wherever it leads. */
export const looseHttp = defineTool({
  name: 'http',
  description: 'sends',
  leaves: true,
  repeat: 'ask',
  async run(args: JsonObject) {
    const answer = await fetch(renderText(args['url']))
    return { url: answer.url, status: answer.status, headers: {}, text: await answer.text() }
  },
})

import { plainJson } from '../../protocol/plain.ts'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { faults } from '../../runs/faults.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, commandHint } from '../layout.ts'
import { quote, suggest } from '../../text/index.ts'
import { firstAgentCommands } from '../learning/first-agent.ts'
import { AGENT_STARTER } from '../starters/agent.ts'

/** A first program that runs anywhere, offline: it counts files, asks, and writes only if the answer is yes. */
const STARTER = `{
  // Counts the entries of the current folder, asks you, and writes the number to a file if you say yes.
  "id": "hello",
  "entry": "count",
  "nodes": {
    // A node with a tool: its result goes to the board, under "files".
    "count": { "id": "count", "spec": { "tool": "file.list", "args": { "path": "." }, "writes": { "files": "entries" } } },
    // A node at which a person decides. Its edges are the answers.
    "ask": { "id": "ask", "spec": { "ask": "Write down that there are {{files.length}} entries?" } },
    "note": {
      "id": "note",
      "spec": { "tool": "file.write", "args": { "path": "count.txt", "text": "{{files.length}}\\n" }, "writes": { "written": "path" } }
    },
    "leave": { "id": "leave", "spec": {} }
  },
  "edges": [
    { "id": "counted", "from": "count", "to": "ask", "event": "NEXT" },
    // An edge with a guard is open only if the guard passes.
    { "id": "yes", "from": "ask", "to": "note", "event": "YES", "guard": { "type": "exists", "key": "files" } },
    { "id": "no", "from": "ask", "to": "leave", "event": "NO" }
  ]
}
`

const FILE = 'hello.workflow.json'

/** A starter: its files, and the next commands over the path of its folder. */
interface Starter {
  readonly files: readonly (readonly [name: string, text: string])[]
  readonly about: string
  readonly next: (console: Console, path: (name: string) => string) => readonly (readonly [label: string, command: string])[]
}

const STARTERS: Readonly<Record<string, Starter>> = {
  program: {
    files: [[FILE, STARTER]],
    about: 'asks you a question, offline',
    next: (console, path) => [
      ['draw', console.command('graph', path(FILE))],
      ['run', console.command('run', path(FILE))],
      ['look back', console.command('trace', 'last')],
    ],
  },
  agent: {
    files: AGENT_STARTER,
    about: 'an agent with a skill, offline',
    next: firstAgentCommands,
  },
}

/**
 * `reflex init [FOLDER]`: writes a first program and prints the next commands. Creates the folder if it is missing.
 * Throws `R2038` if a file of that name exists, and changes nothing then; `R2031` for another thing to begin with.
 */
export function init(console: Console, folder = '.', first = 'program'): number {
  const { cwd } = console.world.surroundings
  const starter = Object.hasOwn(STARTERS, first) ? STARTERS[first] : undefined
  if (starter === undefined)
    throw faults.make('R2031', `--first ${quote(first)} is not known; it is ${Object.keys(STARTERS).join(' or ')}`, {
      fix: `write --first ${suggest(first, Object.keys(STARTERS)) ?? 'program'}`,
    })
  const path = (name: string): string => console.nearPath(resolve(cwd, folder, name))
  for (const [name] of starter.files) if (existsSync(resolve(cwd, folder, name))) throw existsFault(path(name))
  for (const [name, text] of starter.files) write(resolve(cwd, folder, name), path(name), text)
  const next = starter.next(console, path)
  const names = starter.files.map(([name]) => path(name))
  if (console.shape !== 'text') console.document(plainJson({ v: 1, files: names, next: next.map(([, command]) => command) }))
  else {
    const { out } = console
    const head = out.text(names.join(' '))
    console.print([
      ...factLine(head, out.paint('bold', head), ['written', starter.about], out),
      ...next.map(([label, command]) => commandHint(out, label, command)),
    ])
  }
  return EXIT.done
}

function write(path: string, name: string, text: string): void {
  try {
    makeFolders(dirname(path))
    writeFileSync(path, text, { flag: 'wx' })
  } catch (cause) {
    // Another process may have created it first.
    if (existsSync(path)) throw existsFault(name)
    throw faults.make('R5040', `${name} cannot be written`, { file: name, fix: 'name another folder: reflex init FOLDER', cause })
  }
}

function existsFault(name: string): Error {
  return faults.make('R2038', `${name} already exists`, { file: name, fix: 'name another folder: reflex init FOLDER' })
}

/** Creates folders one by one: Node's recursive mkdir never ends in places such as /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  mkdirSync(folder)
}

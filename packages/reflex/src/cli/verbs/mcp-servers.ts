import { plainJson } from '../../protocol/plain.ts'
import { type Pin, pinServer, type ServerState } from '../../mcp/index.ts'
import { faults } from '../../runs/faults.ts'
import { quote, suggest } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import { commandHint, table, tabSeparated } from '../layout.ts'
import type { Session } from '../session.ts'

const ACTIONS = ['pin', 'tools'] as const

/**
 * `reflex mcp pin SERVER`: starts a server, writes the list of its tools into `reflex.mcp.json`, and prints the line with which a policy
 * allows it. `reflex mcp tools`: lists the servers and their tools, and starts none. Throws `R2031` for other words.
 */
export async function mcpServers(session: Session, [action = '', server]: readonly string[]): Promise<number> {
  if (action === 'tools') return tools(session, server)
  if (action === 'pin' && server !== undefined) return pin(session, server)
  const guess = suggest(action, ACTIONS)
  throw faults.make('R2031', action === 'pin' ? 'mcp pin has no server' : `mcp ${quote(action)} is not known; it is pin or tools`, {
    fix: action === 'pin' ? 'reflex mcp pin NAME' : `reflex mcp ${guess ?? 'tools'}`,
  })
}

async function pin({ console, reflex }: Session, name: string): Promise<number> {
  const found = await pinServer(reflex.servers, name)
  if (console.shape !== 'text') {
    const { line, list, files, differences, isCurrent, tools: all, server, entry } = found
    console.document(plainJson({ v: 1, name, server, tools: all, entry, line, list, files, differences, current: isCurrent }))
    return EXIT.done
  }
  if (!console.out.terminal) console.world.out.write(`${found.line}\n`)
  else printPin(console, found)
  return EXIT.done
}

type Console = Session['console']

function printPin(console: Console, { name, server, tools: all, line, list, files, differences, isCurrent }: Pin): void {
  const { out } = console
  const rows = all.map((tool) => [tool.name, (tool.description ?? tool.title ?? '').split('\n', 1)[0] ?? ''])
  console.print([
    `${out.paint('bold', name)}  ${out.text(server)}`,
    ...table(['tool', 'does'], rows, out),
    ...(differences.length === 0
      ? []
      : ['', 'changed since it was pinned:', ...differences.map((difference) => `  ${out.text(difference)}`)]),
    '',
    ...(files.length === 0 ? [] : [`pinned files: ${files.map((file) => console.nearPath(file)).join(', ')}`]),
    `list of tools: ${console.nearPath(list)}`,
    ...(isCurrent ? ['your policy allows it as it is'] : ['to allow it, put this line into "mcp" of a policy file of your own:', '', line]),
  ])
}

function tools({ console, reflex }: Session, server: string | undefined): number {
  const states = reflex.servers.states().filter(({ name }) => server === undefined || name === server)
  if (console.shape !== 'text') {
    const found = states.map(({ name, shown, tools: names, fault }) => ({
      name,
      shown,
      tools: names,
      ...(fault === undefined ? {} : { fault }),
    }))
    console.document(plainJson({ v: 1, servers: found }))
    return EXIT.done
  }
  const rows = states.flatMap(rowsOf)
  if (!console.out.terminal) console.world.out.write(tabSeparated(rows))
  else if (rows.length === 0) console.print(['no servers: name them in "mcp" of reflex.config.json, or of a policy file'])
  else {
    console.print(table(['server', 'tool', 'state'], rows, console.out))
    const open = states.find(({ fault }) => fault !== undefined)
    if (open !== undefined) console.print([commandHint(console.out, 'allow it', console.command('mcp', 'pin', open.name))])
  }
  return EXIT.done
}

function rowsOf({ name, shown, tools: names, fault }: ServerState): string[][] {
  if (fault !== undefined) return [[name, shown, `${fault.code} ${fault.message}`]]
  return names.map((tool) => [name, tool, 'pinned'])
}

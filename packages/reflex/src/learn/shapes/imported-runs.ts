import type { RunRow } from '../../kernel/index.ts'

/** The names of imported runs: the conversation, if it has a name, and the content. The number is that of a further attempt. */
const NAME = /^imported-([0-9a-f]{16})(?:-[0-9a-f]{16})?(?:-\d+)?$/

/** Returns the name of the run of a transcript, from the hash of its content and that of the name of its conversation. */
export function importedRunName(content: string, conversation?: string): string {
  return ['imported', ...(conversation === undefined ? [] : [conversation.slice(0, 16)]), content.slice(0, 16)].join('-')
}

/**
 * Returns the runs without those that a later import replaces: a conversation that was imported, continued and was imported again counts once, with
 * its longest run. The order of the imports makes no difference.
 */
export function withoutReplaced<Row extends Pick<RunRow, 'id' | 'last' | 'program'>>(rows: readonly Row[]): readonly Row[] {
  const longest = new Map<string, Row>()
  for (const row of rows) {
    const conversation = conversationOf(row)
    const known = conversation === undefined ? undefined : longest.get(conversation)
    if (conversation !== undefined && (known === undefined || isLonger(row, known))) longest.set(conversation, row)
  }
  return rows.filter((row) => (longest.get(conversationOf(row) ?? '') ?? row) === row)
}

function conversationOf({ id, program }: Pick<RunRow, 'id' | 'program'>): string | undefined {
  return program[1] === 'turn' ? NAME.exec(id)?.[1] : undefined
}

function isLonger(one: Pick<RunRow, 'id' | 'last'>, other: Pick<RunRow, 'id' | 'last'>): boolean {
  return one.last === other.last ? one.id < other.id : one.last > other.last
}

import { questionDocument } from '../../protocol/documents.ts'
import { plainJson, utc } from '../../protocol/plain.ts'
import type { OpenQuestion } from '../../runs/handle.ts'
import { isInternalQuestion } from '../../people/index.ts'
import { answerAt } from './answer.ts'
import type { Console } from '../console.ts'
import { answerWord } from '../ending.ts'
import { EXIT, interruptCode } from '../exit.ts'
import { layoutText, tabSeparated, commandHint } from '../layout.ts'
import { type Menu, pressMenu } from '../menu.ts'
import type { ContinueFlags } from '../options.ts'
import { askAtTerminal } from '../prompt.ts'
import { Screen } from '../screen.ts'
import type { Session } from '../session.ts'
import { dueTime } from '../units.ts'

/** `reflex inbox`: lists every open question; on a terminal the person can answer them here. */
export async function inbox(session: Session, flags: ContinueFlags): Promise<number> {
  const { console, reflex } = session
  const questions = await reflex.inbox()
  if (console.shape === 'json') console.document(plainJson({ v: 1, questions: questions.map(questionDocument) }))
  else if (console.shape === 'jsonl') for (const question of questions) console.document(plainJson({ v: 1, ...questionDocument(question) }))
  else if (!console.out.terminal) {
    console.world.out.write(
      tabSeparated(
        questions.map((open) => [open.id, place(open), open.question.text, utc(open.since), open.due === undefined ? '' : utc(open.due)]),
      ),
    )
  } else if (questions.length === 0) console.print(['no open questions'])
  else if (console.isLive && !console.quiet) return choose(session, questions, flags)
  else console.print(list(console, questions))
  return EXIT.done
}

/** Returns the questions, and the command that answers the first of them. */
function list(console: Console, questions: readonly OpenQuestion[]): string[] {
  const [first] = questions
  return [...questions.flatMap((open) => line(console, open, false)), ...(first === undefined ? [] : [answerHint(console, first)])]
}

function answerHint(console: Console, open: OpenQuestion): string {
  const { out } = console
  if (open.asker === 'retry') return commandHint(out, 'continue', console.command('resume', open.run))
  return commandHint(out, 'answer', console.command('answer', open.id, answerWord(open.question.options?.[0]?.value ?? 'TEXT')))
}

function place({ path, asker }: OpenQuestion): string {
  return isInternalQuestion({ asker }) ? ['Reflex', path].filter((part) => part !== '').join(' at ') : path
}

function line({ out, now }: Console, open: OpenQuestion, selected: boolean): string[] {
  const id = out.text(open.id)
  const lead = `${selected ? out.text('›') : ' '} ${id}`
  const painted = `${selected ? out.paint('cyan', out.text('›')) : ' '} ${selected ? out.paint('bold', id) : id}`
  const due = open.due === undefined ? [] : [`due ${dueTime(open.due, now)}`]
  return layoutText({ lead, painted, text: `${place(open)}  ${open.question.text}`, facts: due }, out)
}

/** Shows the list with one question selected. Enter asks it below the list, and then the run continues. */
async function choose(session: Session, questions: readonly OpenQuestion[], flags: ContinueFlags): Promise<number> {
  const { console } = session
  const screen = new Screen(console.world.err, console.err, console.world.surroundings.host)
  const picked = await pick(console, screen, questions)
  if (picked === 'interrupted') return interruptCode('SIGINT')
  if (picked === undefined) {
    console.print(list(console, questions))
    return EXIT.done
  }
  if (picked.asker === 'retry') {
    if (picked.fault !== undefined) console.report(console.fault(picked.fault))
    console.report([`  ${console.command('resume', picked.run)}`])
    return EXIT.done
  }
  const closed = new AbortController()
  const stop = watchOpen(session, picked, closed)
  const answered = await askAtTerminal(console, screen, picked, closed.signal).finally(stop)
  if ('interrupted' in answered) return interruptCode('SIGINT')
  // Throws the fault that says why the question is closed.
  if ('over' in answered) await session.reflex.question(picked.id)
  if (!('value' in answered)) return EXIT.done
  return answerAt(session, picked.id, `:=${JSON.stringify(answered.value)}`, flags)
}

/** The milliseconds between two checks of a question that is asked at this terminal. */
const CHECK_INTERVAL = 1000

/** Aborts `closed` once a question is no longer open: another process may answer it, or end its run. */
function watchOpen({ console, reflex }: Session, { id, run }: OpenQuestion, closed: AbortController): () => void {
  const { host } = console.world.surroundings
  let stop: () => void = () => undefined
  let isStopped = false
  const look = async (): Promise<void> => {
    const row = await reflex.find(run).catch(() => undefined)
    if (isStopped) return
    if (row !== undefined && !row.waits.some(({ number }) => id === `${run}/q${number}`)) closed.abort()
    else wait()
  }
  const wait = (): void => {
    stop = host.at(host.now() + CHECK_INTERVAL, () => void look())
  }
  wait()
  return () => {
    isStopped = true
    stop()
  }
}

function pick(console: Console, screen: Screen, questions: readonly OpenQuestion[]): Promise<OpenQuestion | 'interrupted' | undefined> {
  const { keyboard } = console.world
  if (keyboard === undefined) return Promise.resolve(undefined)
  let menu: Menu<OpenQuestion> = { items: questions.map((value) => ({ value, label: value.id })), selected: 0 }
  const draw = (): string[] => [
    ...questions.flatMap((open, i) => line(console, open, i === menu.selected)),
    console.err.paint('dim', console.err.text(`${questions.length} open · ↑↓ enter to answer here · esc to leave`)),
  ]
  return new Promise((resolve) => {
    const end = (picked: OpenQuestion | 'interrupted' | undefined): void => {
      close()
      screen.removeBlock()
      resolve(picked)
    }
    const close = keyboard((key) => {
      if (key.ctrl && key.name === 'c') return end('interrupted')
      const step = key.name === 'q' ? ({ left: true } as const) : pressMenu(menu, key)
      if ('chosen' in step) return end(step.chosen)
      if ('left' in step) return end(undefined)
      menu = step.menu
      screen.refresh()
    })
    screen.showBlock(draw)
    screen.refresh()
  })
}

import { defineFaults } from '../../../kernel/journal/fault.ts'

const BEFORE = 'before a run'

/** The faults of reading the text of a pipeline. */
export const dotFaults = defineFaults({
  R1100: {
    title: 'A pipeline text cannot be read',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_syntax'],
    means:
      'At the marked place stands something that no statement of the DOT language can have there. Each line shows its first mistake only.',
    often: 'a bracket that is never closed, a quotation mark inside a text without a backslash, a value without quotes',
    fix: 'Correct the marked place.',
  },
  R1101: {
    title: 'Something in a pipeline text has no end',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_unterminated'],
    means: 'A text, a comment or a brace is opened at the marked place and never closed, so everything behind it belongs to it.',
    often: 'a quotation mark that was forgotten, here or in a text before',
    fix: 'Close it.',
  },
  R1102: {
    title: 'Pipelines do without this part of DOT',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_unsupported'],
    means:
      'Graphviz draws many kinds of graphs; a pipeline is one of them. Undirected and strict graphs, several graphs in a file, HTML values, ports, and edges from or to a group have no meaning in a run.',
    often: 'a file that was made to be drawn, not run',
    fix: 'Write what the message proposes.',
  },
  R1103: {
    title: 'A name in a pipeline is no identifier',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_identifier'],
    means:
      'Nodes, graphs and subgraphs are called by letters, digits and underscores, not beginning with a digit; attributes by such names with dots between.',
    often: 'a hyphen or a space in a name; what people shall read belongs in the label',
    fix: 'Rename it wherever it stands.',
  },
  R1104: {
    title: 'An attribute stands twice in one statement',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline duplicate_attr'],
    means: 'The last of the two counts. What the earlier one says has no effect.',
    often: 'a line that was copied and not changed',
    fix: 'Remove one of the two.',
  },
  R1105: {
    title: 'A comma is missing between two attributes',
    verdict: 'fail',
    severity: 'info',
    when: BEFORE,
    rules: ['pipeline missing_comma'],
    means:
      'Reflex reads attributes that only white space parts; other runners of the same language may refuse them. In the strict grammar it is an error.',
    fix: '`reflex fmt` writes the commas.',
  },
})

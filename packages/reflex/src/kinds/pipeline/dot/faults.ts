import { defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** The faults of reading the text of a pipeline. */
export const dotFaults = defineFaults({
  R1100: {
    title: 'A pipeline text cannot be read',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_syntax'],
    means: 'The text at the marked place is not part of any statement of the DOT language. Each line shows its first mistake only.',
    often: 'a bracket that is never closed, a quotation mark inside a text without a backslash, a value without quotes',
    fix: 'Correct the marked place.',
  },
  R1101: {
    title: 'A part of a pipeline text is never closed',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_unterminated'],
    means: 'A text, a comment or a brace opens at the marked place and is never closed, so everything behind it belongs to it.',
    often: 'a missing quotation mark, here or in an earlier text',
    fix: 'Close it.',
  },
  R1102: {
    title: 'Pipelines do not support this part of DOT',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_unsupported'],
    means:
      'Graphviz draws many kinds of graphs; a pipeline is one of them. Undirected and strict graphs, several graphs in a file, HTML values, ports, and edges from or to a group have no meaning in a run.',
    often: 'a file that was written for drawing, not for running',
    fix: 'Write what the message proposes.',
  },
  R1103: {
    title: 'A name in a pipeline is not an identifier',
    verdict: 'fail',
    when: BEFORE,
    rules: ['pipeline dot_identifier'],
    means:
      'The names of nodes, graphs and subgraphs have letters, digits and underscores, and do not begin with a digit. The names of attributes are one or more such names with dots between.',
    often: 'a hyphen or a space in a name; text for people belongs in the label',
    fix: 'Rename it everywhere.',
  },
  R1104: {
    title: 'An attribute occurs twice in one statement',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline duplicate_attr'],
    means: 'The last of the two counts. The earlier one has no effect.',
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
      'Reflex reads attributes that only white space separates; other runners of the same language can refuse them. In the strict grammar it is an error.',
    fix: '`reflex fmt` writes the commas.',
  },
})

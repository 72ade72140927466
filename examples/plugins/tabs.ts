import { cellParts, type GatewayPlugin, plainText } from 'querygate/plugins';

export const tabs = (): GatewayPlugin => ({
  name: 'tabs',
  renderers: [
    {
      names: ['tsv'],
      contentType: 'text/tab-separated-values; charset=utf-8',
      mediaTypes: ['text/tab-separated-values'],
      fileExtension: 'tsv',
      *parts(rows) {
        yield `${rows.columns.map(({ name }) => name).join('\t')}\n`;
        for (const part of cellParts(rows))
          yield part
            .map(
              (cells) =>
                `${cells.map((cell) => (plainText(cell) ?? '').replaceAll(/\s/g, ' ')).join('\t')}\n`,
            )
            .join('');
      },
    },
  ],
});

package floe;

import io.delta.storage.S3SingleDriverLogStore;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Delta's log on S3, written by requests that succeed only if there is no such file (If-None-Match), so that of two writers
 * of one version, in two drivers or in two programs, one loses. Delta's own store for S3 is safe within one driver only.
 *
 * <p>The client repeats a request whose answer was lost. If the first one had succeeded, the second finds the file: it is
 * ours where it has just our bytes, because every commit carries an id of its own.
 */
public final class ConditionalLogStore extends S3SingleDriverLogStore {
  private static final String CONDITIONAL = "fs.option.create.conditional.overwrite";

  /** Called by Delta, by the name of the class in `spark.delta.logStore.s3.impl`. */
  public ConditionalLogStore(Configuration configuration) {
    super(configuration);
  }

  @Override
  public void write(Path path, Iterator<String> actions, Boolean overwrite, Configuration configuration)
      throws IOException {
    if (overwrite) {
      super.write(path, actions, true, configuration);
      return;
    }
    byte[] content = text(actions);
    FileSystem files = path.getFileSystem(configuration);
    FSDataOutputStreamBuilder<?, ?> builder = files.createFile(path);
    builder.overwrite(true);
    builder.must(CONDITIONAL, true);
    try (FSDataOutputStream out = builder.build()) {
      out.write(content);
    } catch (IOException error) {
      if (written(files, path, content)) {
        return;
      }
      if (files.exists(path)) {
        FileAlreadyExistsException conflict = new FileAlreadyExistsException(path.toString());
        conflict.initCause(error);
        throw conflict;
      }
      throw error;
    }
  }

  private static byte[] text(Iterator<String> actions) {
    StringBuilder text = new StringBuilder();
    actions.forEachRemaining(action -> text.append(action).append('\n'));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Whether the file is there with just this content. */
  private static boolean written(FileSystem files, Path path, byte[] content) throws IOException {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    try (InputStream in = files.open(path)) {
      in.transferTo(found);
    } catch (FileNotFoundException absent) {
      return false;
    }
    return Arrays.equals(found.toByteArray(), content);
  }
}
